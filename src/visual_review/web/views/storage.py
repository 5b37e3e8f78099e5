"""Storage usage, retention and charges."""

from typing import Final

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_POST, require_safe

from visual_review.billing.periods import price_of, running_charges
from visual_review.repositories.quotas import enqueue_measuring, quotas_of, total_of, uses_of
from visual_review.repositories.retention import retention_of
from visual_review.web.requests import member_required, require_manager, try_action

INVALID_DAYS: Final = (
    "Nothing was saved: enter the number of days as an integer, or 0 to keep items forever."
)
DAYS: Final = ("buildsDays", "imagesDays", "recordingsDays")
# Enough for any number of days, and no more than Python parses.
DIGITS: Final = 9


@require_safe
@member_required
def storage(request: HttpRequest) -> HttpResponse:
    caller = require_manager(request)
    total = total_of(caller.organization_id)
    if total is None:
        # Once only: a waiting job is not queued again.
        enqueue_measuring(caller.organization_id)
    context = {
        "total": total,
        "is_measuring": total is None or "measuring" in request.GET,
        "uses": uses_of(caller.organization_id),
        "quotas": quotas_of(caller.organization_id),
        "retention": retention_of(caller.organization_id),
        "charges": [
            (charge, price_of(charge)) for charge in running_charges(caller.organization_id)
        ],
    }
    return render(request, "web/storage.html", context)


@require_POST
@member_required
def measure(request: HttpRequest) -> HttpResponse:
    if try_action(request, "measure_storage", {}) is not None:
        messages.success(
            request, "The storage is being measured. The figures appear by themselves."
        )
    return redirect(f"{reverse('storage')}?measuring=1")


@require_POST
@member_required
def retention(request: HttpRequest) -> HttpResponse:
    days = {name: _parse_days(request.POST.get(name, "")) for name in DAYS}
    if None in days.values():
        messages.error(request, INVALID_DAYS)
    elif try_action(request, "set_org_retention", days) is not None:
        messages.success(request, "The retention settings were saved. They take effect tonight.")
    return redirect("storage")


@require_POST
@member_required
def repository_retention(request: HttpRequest, repository_id: str) -> HttpResponse:
    typed = {name: request.POST.get(f"{name}Days", "").strip() for name in ("builds", "recordings")}
    payload: dict[str, object] = {
        "repoId": repository_id,
        # An empty field means the organization's setting.
        "asOrganization": [name for name, text in typed.items() if not text],
    }
    payload |= {f"{name}Days": _parse_days(text) for name, text in typed.items() if text}
    if None in payload.values():
        messages.error(request, INVALID_DAYS)
    elif try_action(request, "set_repo_retention", payload) is not None:
        messages.success(request, "The retention settings were saved. They take effect tonight.")
    return redirect("repository_settings", repository_id)


def _parse_days(text: str) -> int | None:
    text = text.strip()
    return int(text) if text.isascii() and text.isdigit() and len(text) <= DIGITS else None
