"""The filters of the audit log."""

from collections.abc import Iterable
from datetime import UTC, datetime, time, timedelta

from django import forms

from visual_review.audit.queries import EntryFilter
from visual_review.web.audit_texts import describe_verb

CHANNELS = [
    ("", "Any"),
    ("web", "Pages"),
    ("rest", "REST"),
    ("mcp", "MCP"),
    ("ci", "CI"),
    ("cli", "Command line"),
    ("job", "Service"),
]


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
