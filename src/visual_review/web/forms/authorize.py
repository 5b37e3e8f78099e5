"""The form of the consent page: for which organization, and with which access."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from django import forms
from django.forms.boundfield import BoundWidget

from visual_review.accounts.models import Membership
from visual_review.accounts.oauth.scopes import READ, limit_scope, may_change, scope_text
from visual_review.accounts.permissions import BUILDS_REVIEW, REPOS_MANAGE, permissions_of

READ_ONLY, CHANGES = "read", "changes"
ACCESS = [(READ_ONLY, "Read-only"), (CHANGES, "Read and change")]


@dataclass(frozen=True)
class Choice:
    """An organization the app could act in, with the person's permissions there."""

    id: str
    name: str
    role: str
    may_change: bool

    @property
    def permissions_text(self) -> str:
        """The permissions of the role, as continuation of 'you can'."""
        held = permissions_of(self.role)
        if REPOS_MANAGE in held:
            return "view, approve, reject and manage repositories"
        return "view, approve and reject" if BUILDS_REVIEW in held else "only view"


def list_choices(memberships: Sequence[Membership]) -> list[Choice]:
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

    def __init__(
        self,
        choices: Sequence[Choice],
        requested_scope: str,
        *args: Any,  # noqa: ANN401 - As Django has it.
        **kwargs: Any,  # noqa: ANN401 - As Django has it.
    ) -> None:
        super().__init__(*args, **kwargs)
        self.choices = {choice.id: choice for choice in choices}
        self.requested_scope = requested_scope
        field = self.fields["organization"]
        assert isinstance(field, forms.ChoiceField)  # noqa: S101 - For mypy, which does not know the class.
        field.choices = [(choice.id, choice.name) for choice in choices]
        self.offers_changes = requested_scope != READ and any(
            choice.may_change for choice in choices
        )
        if not self.offers_changes:
            # With only one option there is nothing to ask.
            del self.fields["access"]

    def organizations(self) -> Iterator[tuple[BoundWidget, Choice]]:
        """Yield each radio button with its organization."""
        for radio in self["organization"]:
            yield radio, self.choices[str(radio.data["value"])]

    def set_initial(self, membership: Membership | None) -> None:
        """Preselect the person's current organization and the requested access."""
        if membership is None:
            return
        self.initial["organization"] = membership.organization_id
        may_change_here = self.choices[membership.organization_id].may_change
        self.initial["access"] = CHANGES if may_change_here else READ_ONLY

    def clean(self) -> dict[str, Any]:
        values = super().clean() or {}
        choice = self.choices.get(values.get("organization", ""))
        if choice and values.get("access") == CHANGES and not choice.may_change:
            self.add_error(
                "access",
                f"As {choice.role} of {choice.name} you can only grant read-only access. Choose "
                "read-only, or another organization.",
            )
        return values

    def granted_scope(self) -> str:
        """Return the scope granted by the person; only for a valid form."""
        if self.cleaned_data.get("access") != CHANGES:
            return READ
        held = permissions_of(self.choices[self.cleaned_data["organization"]].role)
        return limit_scope(scope_text(self.requested_scope.split()), held)
