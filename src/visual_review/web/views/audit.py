"""The audit log of the organization."""

import csv
import io
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta
from typing import Any, Self

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.http import urlencode
from django.views.decorators.http import require_POST, require_safe

from visual_review.accounts.callers import Caller
from visual_review.accounts.permissions import AUDIT_VIEW, MEMBERS_MANAGE
from visual_review.actions.extended import EXTENDED
from visual_review.actions.internal import INTERNAL
from visual_review.actions.published import PUBLISHED
from visual_review.audit.models import AuditEntry
from visual_review.audit.queries import (
    COLUMNS,
    MOST_EXPORTED,
    EntryFilter,
    entry_as_json,
    find_entries,
)
from visual_review.kernel.errors import (
    ForbiddenError,
    InvalidInputError,
    NotFoundError,
    TooLargeError,
)
from visual_review.repositories.retention import retention_of
from visual_review.web.audit_texts import describe_verb, target_url
from visual_review.web.cursor_pages import read_page
from visual_review.web.evidence import describe_logged
from visual_review.web.requests import caller_of, member_required, try_action

CHANNELS = [
    ("", "Any"),
    ("web", "Pages"),
    ("rest", "REST"),
    ("mcp", "MCP"),
    ("ci", "CI"),
    ("cli", "Command line"),
    ("job", "Service"),
]
PER_PAGE = 50
SUFFIXES = ("csv", "jsonl")
JSONL = "application/jsonl"
FORMULA = ("=", "+", "-", "@", "\t", "\r")
# Enough for any number of days, and no more than Python parses.
DIGITS = 9
TOO_MANY = (
    f"More than {MOST_EXPORTED:,} entries match. Choose fewer days or events, or let a program read "
    "the whole log in parts from /api/audit.jsonl."
)
NOTHING = "none"
EVIDENCE = "evidence"
# Written outside of actions: by people who are not callers yet, and by the service.
_OTHER_VERBS = (
    "access.ended",
    "app.reuse_detected",
    "app.signed_out",
    "audit.expired",
    "baseline.retired",
    "build.expired",
    "build.failed",
    "build.published",
    "build.retargeted",
    "build.retired",
    "build.review_state_changed",
    "charge.provider_noted",
    "organization.quota_changed",
    "factor.added",
    "factor.removed",
    "factor.renewed",
    "member.joined",
    "member.role_kept",
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
    "session.ended",
    "session.sign_in_failed",
    "session.sign_in_refused",
    "session.signed_in",
    "session.signed_out",
    "user.deleted",
    "user.renamed",
)
_CREDENTIALS = {"key": "API key", "grant": "Connection"}


def _event_choices(verbs: Iterable[str]) -> list[tuple[str, object]]:
    """Return the events by their subjects, each area with a choice for all of its events."""
    areas: dict[str, list[tuple[str, str]]] = {}
    for verb in verbs:
        noun = verb.partition(".")[0]
        area = noun.replace("_", " ").capitalize()
        areas.setdefault(area, [(f"{noun}.", f"{area}: all")]).append((verb, describe_verb(verb)))
    return [("", "Any"), *areas.items()]


class AuditFilters(forms.Form):
    verb = forms.ChoiceField(label="Event", required=False)
    actor = forms.CharField(label="Actor", required=False, max_length=100)
    channel = forms.ChoiceField(label="Channel", required=False, choices=CHANNELS)
    since = forms.DateField(
        label="From", required=False, widget=forms.DateInput(attrs={"type": "date"})
    )
    until = forms.DateField(
        label="To", required=False, widget=forms.DateInput(attrs={"type": "date"})
    )

    def __init__(self, *args: object, verbs: Iterable[str]) -> None:
        super().__init__(*args)  # type: ignore[arg-type] # As Django has it.
        self.fields["verb"].choices = _event_choices(verbs)  # type: ignore[attr-defined] # A choice field.

    def entry_filter(self) -> EntryFilter:
        """Return the filter; invalid query parameters show the whole log instead of an error."""
        if not self.is_valid():
            return EntryFilter()
        values = self.cleaned_data
        since, until = values["since"], values["until"]
        return EntryFilter(
            values["verb"],
            values["actor"],
            values["channel"],
            # Days are UTC days, like the times in the export.
            datetime.combine(since, time(), UTC) if since else None,
            datetime.combine(until, time(), UTC) + timedelta(days=1) if until else None,
        )


VERBS = sorted(
    {verb for action in (*PUBLISHED, *EXTENDED, *INTERNAL) for verb in action.verbs}
    | {*_OTHER_VERBS}
)


@dataclass(frozen=True)
class Difference:
    """One changed property, formatted as text."""

    name: str
    before: str
    after: str


@dataclass(frozen=True)
class ShownEntry:
    """An entry, with additions of the page."""

    row: AuditEntry
    event: str
    url: str
    differences: Sequence[Difference]
    credential: str
    version: str

    @classmethod
    def of(cls, row: AuditEntry) -> Self:
        return cls(
            row,
            describe_verb(row.verb),
            target_url(row),
            list_differences(row),
            describe_credential(row),
            version_in(row),
        )


@require_safe
@member_required
def audit(request: HttpRequest) -> HttpResponse:
    caller = _require_reader(request)
    form = AuditFilters(request.GET, verbs=VERBS)
    wanted = form.entry_filter()
    page = read_page(request, find_entries(caller.organization_id, wanted), ("-id",), PER_PAGE)
    context = {
        "form": form,
        "entries": [ShownEntry.of(row) for row in page.rows],
        "page": page,
        "filtered": wanted != EntryFilter(),
        "query": urlencode({name: str(value) for name, value in request.GET.items() if value}),
        "days": retention_of(caller.organization_id).audit_days,
        "sets_days": caller.may(MEMBERS_MANAGE),
    }
    return render(request, "web/audit.html", context)


@require_safe
@member_required
def export(request: HttpRequest, suffix: str) -> HttpResponse:
    """Download the filtered entries, the oldest first."""
    caller = _require_reader(request)
    if suffix not in SUFFIXES:
        raise NotFoundError("The audit log is exported as .csv and .jsonl.")
    form = AuditFilters(request.GET, verbs=VERBS)
    if not form.is_valid():
        # A file of the whole log would look like the requested part.
        names = ", ".join(str(form[name].label) for name in form.errors)
        raise InvalidInputError(
            f"These filters are not valid: {names}. Correct them and try again."
        )
    rows = find_entries(caller.organization_id, form.entry_filter())
    found = [entry_as_json(row) for row in rows.order_by("pk")[: MOST_EXPORTED + 1]]
    if len(found) > MOST_EXPORTED:
        raise TooLargeError(TOO_MANY)
    content, kind = (_csv(found), "text/csv") if suffix == "csv" else (_lines(found), JSONL)
    response = HttpResponse(content, content_type=f"{kind}; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="audit-log.{suffix}"'
    return response


@require_POST
@member_required
def retention(request: HttpRequest) -> HttpResponse:
    text = request.POST.get("days", "").strip()
    # Anything but a number becomes 0, which the action rejects with a message.
    days = int(text) if text.isascii() and text.isdigit() and len(text) <= DIGITS else 0
    payload = {"days": days if text else None}
    if try_action(request, "set_audit_retention", payload) is not None:
        messages.success(request, "The setting was saved. It takes effect tonight.")
    return redirect("audit")


def _require_reader(request: HttpRequest) -> Caller:
    caller = caller_of(request)
    if not caller.may(AUDIT_VIEW):
        raise ForbiddenError("Only admins and owners can view the audit log.")
    return caller


def _lines(entries: Sequence[dict[str, Any]]) -> str:
    return "".join(f"{json.dumps(entry)}\n" for entry in entries)


def _csv(entries: Sequence[dict[str, Any]]) -> str:
    file = io.StringIO()
    writer = csv.writer(file)
    writer.writerow(COLUMNS)
    for entry in entries:
        writer.writerow(_cell(value) for value in entry.values())
    return file.getvalue()


def _cell(value: object) -> str:
    text = json.dumps(value) if isinstance(value, dict) else str("" if value is None else value)
    # Spreadsheets run text that begins like a formula, and anyone can choose names.
    return f"'{text}" if text.startswith(FORMULA) else text


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
    """Return the version of the deciding program, if the entry has one."""
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
