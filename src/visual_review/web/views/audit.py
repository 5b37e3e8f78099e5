"""The audit log of the organization."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.http import urlencode
from django.views.decorators.http import require_safe

from visual_review.accounts.permissions import AUDIT_VIEW
from visual_review.actions.extended import EXTENDED
from visual_review.actions.internal import INTERNAL
from visual_review.actions.published import PUBLISHED
from visual_review.audit.models import AuditEntry
from visual_review.audit.queries import EntryFilter, list_entries
from visual_review.kernel.errors import ForbiddenError
from visual_review.web.evidence import describe_logged
from visual_review.web.forms.audit import AuditFilters
from visual_review.web.requests import caller_of, member_required

ENTRIES_PER_PAGE = 50
NOTHING = "none"
EVIDENCE = "evidence"
# Written outside of actions: by people who are not callers yet, and by the service.
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
    "repository.identity_pinned",
    "repository.linked",
    "repository.renamed",
    "session.sign_in_failed",
    "session.signed_in",
    "user.renamed",
)
VERBS = sorted(
    {verb for action in (*PUBLISHED, *EXTENDED, *INTERNAL) for verb in action.verbs}
    | {*_OTHER_VERBS}
)


_CREDENTIALS = {"key": "API key", "grant": "Connection"}


@dataclass(frozen=True)
class Difference:
    """One property of what was changed, formatted as text."""

    name: str
    before: str
    after: str


@require_safe
@member_required
def audit(request: HttpRequest) -> HttpResponse:
    caller = caller_of(request)
    if not caller.may(AUDIT_VIEW):
        raise ForbiddenError("Only admins and owners can view the audit log.")
    form = AuditFilters(request.GET)
    # Invalid query parameters show the whole log instead of an error.
    entry_filter = EntryFilter(**form.cleaned_data) if form.is_valid() else EntryFilter()
    # One more than shown, to know whether there are older ones.
    rows = list(list_entries(caller.organization_id, entry_filter, ENTRIES_PER_PAGE + 1))
    context = {
        "form": form,
        "verbs": VERBS,
        "entries": [
            (row, list_differences(row), describe_credential(row), version_in(row))
            for row in rows[:ENTRIES_PER_PAGE]
        ],
        "filtered": any((entry_filter.verb, entry_filter.actor, entry_filter.channel)),
        "newest": f"?{_encode_query(entry_filter)}" if entry_filter.before else "",
        "older": f"?{_encode_query(entry_filter, rows[ENTRIES_PER_PAGE - 1].pk)}"
        if len(rows) > ENTRIES_PER_PAGE
        else "",
    }
    return render(request, "web/audit.html", context)


def _encode_query(entry_filter: EntryFilter, before: int | None = None) -> str:
    values = {
        "verb": entry_filter.verb,
        "actor": entry_filter.actor,
        "channel": entry_filter.channel,
        "before": str(before or ""),
    }
    return urlencode({name: value for name, value in values.items() if value})


def list_differences(entry: AuditEntry) -> Sequence[Difference]:
    """Return the properties before and after, including unchanged ones."""
    before, after = entry.before or {}, entry.after or {}
    names = sorted({*before, *after})
    return [
        Difference(name, _format(name, before.get(name)), _format(name, after.get(name)))
        for name in names
    ]


def _format(name: str, value: Any) -> str:  # noqa: ANN401 - Any JSON value.
    is_evidence = name == EVIDENCE and isinstance(value, dict)
    return describe_logged(value) if is_evidence else format_value(value)


def version_in(entry: AuditEntry) -> str:
    """Return the version of the program that decided, if the entry has one."""
    found = (entry.after or {}).get(EVIDENCE)
    return str(found.get("version", "")) if isinstance(found, dict) else ""


def describe_credential(entry: AuditEntry) -> str:
    """Return the kind of the caller's credential, from its id; empty for a browser session."""
    return _CREDENTIALS.get(entry.credential_id.split("_", maxsplit=1)[0], "")


def format_value(value: Any) -> str:  # noqa: ANN401 - Any JSON value.
    if value is None or value in ("", [], {}):
        return NOTHING
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        return ", ".join(format_value(item) for item in value)
    if isinstance(value, dict):
        return ", ".join(f"{name}: {format_value(item)}" for name, item in value.items())
    return str(value)
