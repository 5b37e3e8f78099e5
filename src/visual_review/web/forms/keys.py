"""The form that makes an API key."""

from collections.abc import Iterator
from typing import Any

from django import forms
from django.forms.boundfield import BoundWidget

from visual_review.accounts.callers import Caller
from visual_review.accounts.key_rules import NAME_LENGTH
from visual_review.accounts.permissions import (
    BUILDS_REVIEW,
    BUILDS_VIEW,
    KEYS_MANAGE,
    RECORDINGS_MANAGE,
    RECORDINGS_VIEW,
    REPOS_MANAGE,
    REPOS_VIEW,
)

EXPLAINED = {
    REPOS_VIEW: "See repositories",
    REPOS_MANAGE: "Connect and remove repositories, rotate their tokens, set capture",
    BUILDS_VIEW: "See builds and their screenshots",
    BUILDS_REVIEW: "Approve and reject, set dynamic regions",
    RECORDINGS_VIEW: "See recordings",
    RECORDINGS_MANAGE: "Enable and disable recordings, delete them",
}
LIFETIMES = [
    ("30", "30 days"),
    ("90", "90 days"),
    ("365", "One year"),
    ("", "Until it is revoked"),
]
SCOPES = [
    ("user", "Yours: acts as you, with at most the role you have at that moment"),
    ("organization", "The organization's: stays when you leave, with the permissions below"),
]


class KeyForm(forms.Form):
    name = forms.CharField(
        label="Name",
        max_length=NAME_LENGTH,
        help_text="Where it is used, such as the name of a machine or program.",
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
    )
    scope = forms.ChoiceField(
        label="Whose key", choices=SCOPES, initial="user", widget=forms.RadioSelect
    )
    expires_days = forms.ChoiceField(label="Lasts", choices=LIFETIMES, initial="90", required=False)
    permissions = forms.MultipleChoiceField(
        label="Permissions", required=False, widget=forms.CheckboxSelectMultiple
    )

    def __init__(self, caller: Caller, *args: Any, **kwargs: Any) -> None:  # noqa: ANN401 - As Django has it.
        super().__init__(*args, **kwargs)
        field = self.fields["permissions"]
        assert isinstance(field, forms.MultipleChoiceField)  # noqa: S101 - It tells mypy the class.
        # Nobody can give a key more than they hold, so nothing else is offered.
        field.choices = [(name, name) for name in EXPLAINED if caller.may(name)]
        self.manages = caller.may(KEYS_MANAGE)
        if not self.manages:
            # Without a choice there is no question.
            del self.fields["scope"]

    def permission_choices(self) -> Iterator[tuple[BoundWidget, str]]:
        """Each checkbox with what it allows."""
        for checkbox in self["permissions"]:
            yield checkbox, EXPLAINED[str(checkbox.data["value"])]

    def wish(self) -> dict[str, object]:
        """The input of ``create_api_key``; only for a valid form."""
        values = self.cleaned_data
        wish: dict[str, object] = {
            "scope": values.get("scope", "user"),
            "name": values["name"],
            "permissions": values["permissions"],
        }
        if values["expires_days"]:
            wish["expiresDays"] = int(values["expires_days"])
        return wish
