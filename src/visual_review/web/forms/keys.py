"""The form for creating an API key."""

from collections.abc import Iterable, Iterator
from typing import Any

from django import forms
from django.forms.boundfield import BoundWidget

from visual_review.accounts.callers import Caller
from visual_review.accounts.key_rules import NAME_LENGTH
from visual_review.accounts.permissions import (
    AUDIT_VIEW,
    BUILDS_REVIEW,
    BUILDS_VIEW,
    KEYS_MANAGE,
    RECORDINGS_MANAGE,
    RECORDINGS_VIEW,
    REPOS_MANAGE,
    REPOS_VIEW,
)

# Permission -> its label and help text.
PERMISSION_TEXTS = {
    REPOS_VIEW: ("View repositories", "See repositories and their settings"),
    REPOS_MANAGE: (
        "Manage repositories",
        "Connect and remove repositories, rotate their tokens, change capture settings",
    ),
    BUILDS_VIEW: ("View builds", "See builds and their screenshots"),
    BUILDS_REVIEW: ("Review builds", "Approve and reject, set dynamic regions"),
    RECORDINGS_VIEW: ("View recordings", "Watch recordings of tests"),
    RECORDINGS_MANAGE: ("Manage recordings", "Enable, disable and delete recordings"),
    AUDIT_VIEW: ("Read the audit log", "Export the audit log; no key can do so without this"),
}
EXPIRY_CHOICES = [
    ("30", "In 30 days"),
    ("90", "In 90 days"),
    ("365", "In one year"),
    ("", "Never"),
]
SCOPE_CHOICES = [
    ("user", "You: the key acts as you, with at most your current role"),
    (
        "organization",
        "The organization: the key has the permissions below and stays valid when you leave",
    ),
]


def label_permissions(permissions: Iterable[str]) -> list[str]:
    """Return the labels of ``permissions`` as in the form."""
    return [PERMISSION_TEXTS[name][0] if name in PERMISSION_TEXTS else name for name in permissions]


class KeyForm(forms.Form):
    name = forms.CharField(
        label="Name",
        max_length=NAME_LENGTH,
        help_text="Where it is used, such as the name of a computer or program.",
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
    )
    scope = forms.ChoiceField(
        label="Owner", choices=SCOPE_CHOICES, initial="user", widget=forms.RadioSelect
    )
    expires_days = forms.ChoiceField(
        label="Expires", choices=EXPIRY_CHOICES, initial="90", required=False
    )
    permissions = forms.MultipleChoiceField(
        label="Permissions", required=False, widget=forms.CheckboxSelectMultiple
    )

    def __init__(self, caller: Caller, *args: Any, **kwargs: Any) -> None:  # noqa: ANN401 - As Django has it.
        super().__init__(*args, **kwargs)
        field = self.fields["permissions"]
        assert isinstance(field, forms.MultipleChoiceField)  # noqa: S101 - For mypy, which does not know the class.
        # No one can give a key a permission they do not have, so the form offers only their own.
        field.choices = [
            (name, label) for name, (label, _) in PERMISSION_TEXTS.items() if caller.may(name)
        ]
        self.manages = caller.may(KEYS_MANAGE)
        if not self.manages:
            # With only one option there is nothing to ask.
            del self.fields["scope"]

    def permission_choices(self) -> Iterator[tuple[BoundWidget, str]]:
        """Yield each checkbox with its help text."""
        for checkbox in self["permissions"]:
            yield checkbox, PERMISSION_TEXTS[str(checkbox.data["value"])][1]

    def payload(self) -> dict[str, object]:
        """Return the payload of ``create_api_key``; only for a valid form."""
        values = self.cleaned_data
        payload: dict[str, object] = {
            "scope": values.get("scope", "user"),
            "name": values["name"],
            "permissions": values["permissions"],
        }
        if values["expires_days"]:
            payload["expiresDays"] = int(values["expires_days"])
        return payload
