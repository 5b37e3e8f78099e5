"""What takes room in the storage, for how long it stays, and what is charged."""

from typing import Final

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_POST, require_safe

from visual_review.accounts.permissions import REPOS_MANAGE
from visual_review.billing.queries import price_of, running_charges
from visual_review.kernel.errors import ForbiddenError
from visual_review.repositories.retention import retention_of
from visual_review.repositories.storage_use import total_of, uses_of
from visual_review.web.requests import attempt, caller_of, member

MANAGERS_ONLY: Final = (
    "This page needs the permission 'repos:manage'. Ask an owner of the organization for it."
)
NO_NUMBER: Final = "Nothing was saved: give days as whole numbers, 0 to keep for good."
DAYS: Final = ("buildsDays", "imagesDays", "recordingsDays")
# Long enough for any number of days, and no more digits than Python reads.
DIGITS: Final = 9


@require_safe
@member
def storage(request: HttpRequest) -> HttpResponse:
    caller = caller_of(request)
    if not caller.may(REPOS_MANAGE):
        raise ForbiddenError(MANAGERS_ONLY)
    context = {
        "total": total_of(caller.organization_id),
        "uses": uses_of(caller.organization_id),
        "retention": retention_of(caller.organization_id),
        "charges": [
            (charge, price_of(charge)) for charge in running_charges(caller.organization_id)
        ],
    }
    return render(request, "web/storage.html", context)


@require_POST
@member
def measure(request: HttpRequest) -> HttpResponse:
    if attempt(request, "measure_storage", {}) is not None:
        messages.success(request, "The storage is measured now. Load the page again in a moment.")
    return redirect("storage")


@require_POST
@member
def retention(request: HttpRequest) -> HttpResponse:
    days = {name: _number(request.POST.get(name, "")) for name in DAYS}
    if None in days.values():
        messages.error(request, NO_NUMBER)
    elif attempt(request, "set_org_retention", days) is not None:
        messages.success(request, "The days were saved. The next sweep, at night, goes by them.")
    return redirect("storage")


@require_POST
@member
def repository_retention(request: HttpRequest, repository_id: str) -> HttpResponse:
    typed = {name: request.POST.get(f"{name}Days", "").strip() for name in ("builds", "recordings")}
    payload: dict[str, object] = {
        "repoId": repository_id,
        # An empty field means the organization's days.
        "asOrganization": [name for name, text in typed.items() if not text],
    }
    payload |= {f"{name}Days": _number(text) for name, text in typed.items() if text}
    if None in payload.values():
        messages.error(request, NO_NUMBER)
    elif attempt(request, "set_repo_retention", payload) is not None:
        messages.success(request, "The days were saved. The next sweep, at night, goes by them.")
    return redirect("repository_settings", repository_id)


def _number(text: str) -> int | None:
    text = text.strip()
    return int(text) if text.isascii() and text.isdigit() and len(text) <= DIGITS else None
