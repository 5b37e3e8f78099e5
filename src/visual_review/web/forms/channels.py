"""The form for a new channel."""

from typing import Any, cast

from django import forms

from visual_review.messages.event_types import TYPES
from visual_review.messages.formats import KINDS, WEBHOOK
from visual_review.repositories.models import Repository
from visual_review.repositories.names import BRANCH_LENGTH
from visual_review.repositories.queries import repositories_of


class ChannelForm(forms.Form):
    kind = forms.ChoiceField(label="Send to", choices=[*KINDS.items()], initial=WEBHOOK)
    url = forms.CharField(
        label="URL",
        max_length=2000,
        help_text="Of your receiver, or the incoming webhook URL that Slack or Teams shows.",
    )
    types = forms.MultipleChoiceField(
        label="Events",
        choices=[*TYPES.items()],
        widget=forms.CheckboxSelectMultiple,
        help_text="Chats get the first two only.",
    )
    repository = forms.ModelChoiceField(
        Repository.objects.none(), required=False, empty_label="All repositories"
    )
    branch = forms.CharField(
        required=False,
        max_length=BRANCH_LENGTH,
        help_text="A name, or a pattern such as release/*; empty for all branches.",
    )

    def __init__(self, organization_id: str, data: Any = None) -> None:  # noqa: ANN401 - As Django's.
        super().__init__(data)
        field = cast("forms.ModelChoiceField[Repository]", self.fields["repository"])
        field.queryset = repositories_of(organization_id)

    def payload(self) -> dict[str, Any]:
        values = self.cleaned_data
        repository: Repository | None = values["repository"]
        return {
            **{name: values[name] for name in ("kind", "url", "types", "branch")},
            "repositoryId": repository.pk if repository else "",
        }
