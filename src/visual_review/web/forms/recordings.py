"""The filters of a repository's recordings."""

from django import forms

from visual_review.recordings.states import OUTCOMES, STATUSES

TEXT_LENGTH = 200


def _choices(names: tuple[str, ...]) -> list[tuple[str, str]]:
    return [("", "Any"), *((name, name.replace("_", " ").capitalize()) for name in names)]


class RecordingFilters(forms.Form):
    text = forms.CharField(
        label="Title, file or branch",
        required=False,
        max_length=TEXT_LENGTH,
        widget=forms.TextInput(attrs={"type": "search"}),
    )
    outcome = forms.ChoiceField(label="Test", required=False, choices=_choices(OUTCOMES))
    status = forms.ChoiceField(label="Video", required=False, choices=_choices(STATUSES))
    product = forms.ChoiceField(label="Product", required=False)

    def __init__(self, *args: object, products: list[str], **kwargs: object) -> None:
        super().__init__(*args, **kwargs)  # type: ignore[arg-type] # As Django has it.
        choices = [("", "All"), *((key, key) for key in products)]
        self.fields["product"].choices = choices  # type: ignore[attr-defined] # A choice field.
        # With only one product there is nothing to filter.
        if len(products) < 2:  # noqa: PLR2004 - Two are.
            del self.fields["product"]
