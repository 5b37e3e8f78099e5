"""The choice on the consent page: for which organization, and how much."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from django import forms
from django.forms.boundfield import BoundWidget

from visual_review.accounts.models import Membership
from visual_review.accounts.oauth.scopes import READ, may_change, offered, scope_text
from visual_review.accounts.permissions import BUILDS_REVIEW, REPOS_MANAGE, permissions_of

READ_ONLY, CHANGES = "read", "changes"
ACCESS = [(READ_ONLY, "Read-only"), (CHANGES, "Read and change")]


@dataclass(frozen=True)
class Choice:
    """An organization that the app could act in, with what the person may do there."""

    id: str
    name: str
    role: str
    may_change: bool

    @property
    def words(self) -> str:
        """What the role allows, to go on after 'you may'."""
        held = permissions_of(self.role)
        if REPOS_MANAGE in held:
            return "see, approve, reject and manage repositories"
        return "see, approve and reject" if BUILDS_REVIEW in held else "only see"


def choices_of(memberships: Sequence[Membership]) -> list[Choice]:
    return [
        Choice(
            each.organization_id,
            each.organization.name,
            each.role,
            may_change(permissions_of(each.role)),
        )
        for each in memberships
    ]


class ConsentForm(forms.Form):
    organization = forms.ChoiceField(label="Organization", widget=forms.RadioSelect)
    access = forms.ChoiceField(
        label="Access", choices=ACCESS, widget=forms.RadioSelect, required=False
    )

    def __init__(self, choices: Sequence[Choice], asked: str, *args: Any, **kwargs: Any) -> None:  # noqa: ANN401 - As Django has it.
        super().__init__(*args, **kwargs)
        self.choices = {choice.id: choice for choice in choices}
        self.asked = asked
        field = self.fields["organization"]
        assert isinstance(field, forms.ChoiceField)  # noqa: S101 - It tells mypy the class.
        field.choices = [(choice.id, choice.name) for choice in choices]
        self.offers_changes = asked != READ and any(choice.may_change for choice in choices)
        if not self.offers_changes:
            # Without a choice there is no question.
            del self.fields["access"]

    def organizations(self) -> Iterator[tuple[BoundWidget, Choice]]:
        """Each radio button with the organization it stands for."""
        for radio in self["organization"]:
            yield radio, self.choices[str(radio.data["value"])]

    def prefer(self, membership: Membership | None) -> None:
        """Begin with the organization the person works in, and with what was asked for."""
        if membership is None:
            return
        self.initial["organization"] = membership.organization_id
        able = self.choices[membership.organization_id].may_change
        self.initial["access"] = CHANGES if able else READ_ONLY

    def clean(self) -> dict[str, Any]:
        values = super().clean() or {}
        choice = self.choices.get(values.get("organization", ""))
        if choice and values.get("access") == CHANGES and not choice.may_change:
            self.add_error(
                "access",
                f"As {choice.role} of {choice.name} you can only let the app see. Choose "
                "read-only, or another organization.",
            )
        return values

    def granted(self) -> str:
        """The scope the person gives; only for a valid form."""
        if self.cleaned_data.get("access") != CHANGES:
            return READ
        held = permissions_of(self.choices[self.cleaned_data["organization"]].role)
        return offered(scope_text(self.asked.split()), held)
