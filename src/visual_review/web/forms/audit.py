"""The filters of the audit log."""

from django import forms

CHANNELS = [
    ("", "Any"),
    ("web", "Pages"),
    ("rest", "REST"),
    ("mcp", "MCP"),
    ("ci", "CI"),
    ("cli", "Command line"),
    ("job", "Service"),
]


class AuditFilters(forms.Form):
    verb = forms.CharField(
        label="Event",
        required=False,
        max_length=80,
        widget=forms.TextInput(attrs={"list": "verbs"}),
    )
    actor = forms.CharField(label="Actor", required=False, max_length=100)
    channel = forms.ChoiceField(label="Channel", required=False, choices=CHANNELS)
    # PostgreSQL has no larger integers, and a query with one would fail.
    before = forms.IntegerField(required=False, min_value=1, max_value=2**63 - 1)
