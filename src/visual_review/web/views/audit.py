"""The audit log of the organization."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.http import urlencode
from django.views.decorators.http import require_safe

from visual_review.accounts.permissions import AUDIT_VIEW
from visual_review.actions.internal import INTERNAL
from visual_review.actions.published import PUBLISHED
from visual_review.audit.models import AuditEntry
from visual_review.audit.queries import Wanted, entries
from visual_review.kernel.errors import ForbiddenError
from visual_review.web.forms.audit import AuditFilters
from visual_review.web.requests import caller_of, member

PAGE = 50
NOTHING = "none"
# What is written outside actions: by people who are no callers yet, and by the service.
_OTHER_VERBS = (
    "app.reuse_detected",
    "app.signed_out",
    "build.expired",
    "build.failed",
    "build.published",
    "build.retargeted",
    "build.retired",
    "build.review_state_changed",
    "charge.provider_noted",
    "member.joined",
    "organization.created",
    "password.changed",
    "password.reset",
    "product.capabilities_detected",
    "recording.failed",
    "recording.ready",
    "recording.retired",
    "recording.uploaded",
    "repository.linked",
    "repository.renamed",
    "session.sign_in_failed",
    "session.signed_in",
    "user.renamed",
)
VERBS = sorted(
    {verb for action in (*PUBLISHED, *INTERNAL) for verb in action.verbs} | {*_OTHER_VERBS}
)


_CREDENTIALS = {"key": "API key", "grant": "Connection"}


@dataclass(frozen=True)
class Difference:
    """One property of what was changed, in words."""

    name: str
    before: str
    after: str


@require_safe
@member
def audit(request: HttpRequest) -> HttpResponse:
    caller = caller_of(request)
    if not caller.may(AUDIT_VIEW):
        raise ForbiddenError("Only admins and owners see the audit log.")
    form = AuditFilters(request.GET)
    # Nonsense in the address shows the whole log instead of an error.
    wanted = Wanted(**form.cleaned_data) if form.is_valid() else Wanted()
    # One more than shown tells whether there are older ones.
    rows = list(entries(caller.organization_id, wanted, PAGE + 1))
    context = {
        "form": form,
        "verbs": VERBS,
        "entries": [(row, differences(row), credential_kind(row)) for row in rows[:PAGE]],
        "filtered": any((wanted.verb, wanted.actor, wanted.channel)),
        "newest": f"?{_query(wanted)}" if wanted.before else "",
        "older": f"?{_query(wanted, rows[PAGE - 1].pk)}" if len(rows) > PAGE else "",
    }
    return render(request, "web/audit.html", context)


def _query(wanted: Wanted, before: int | None = None) -> str:
    values = {
        "verb": wanted.verb,
        "actor": wanted.actor,
        "channel": wanted.channel,
        "before": str(before or ""),
    }
    return urlencode({name: value for name, value in values.items() if value})


def differences(entry: AuditEntry) -> Sequence[Difference]:
    """The properties before and after, those that stayed the same included."""
    before, after = entry.before or {}, entry.after or {}
    names = sorted({*before, *after})
    return [
        Difference(name, as_message(before.get(name)), as_message(after.get(name)))
        for name in names
    ]


def credential_kind(entry: AuditEntry) -> str:
    """What the caller came with, told by its id; empty for one signed in on the pages."""
    return _CREDENTIALS.get(entry.credential_id.split("_", maxsplit=1)[0], "")


def as_message(value: Any) -> str:  # noqa: ANN401 - Whatever JSON holds.
    if value is None or value in ("", [], {}):
        return NOTHING
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        return ", ".join(as_message(item) for item in value)
    if isinstance(value, dict):
        return ", ".join(f"{name}: {as_message(item)}" for name, item in value.items())
    return str(value)
