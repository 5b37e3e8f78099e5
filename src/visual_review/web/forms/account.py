"""Forms of the user's own account."""

from django import forms

from visual_review.accounts.users import NAME_LENGTH


class NameForm(forms.Form):
    name = forms.CharField(
        label="Name",
        max_length=NAME_LENGTH,
        required=False,
        help_text="Shown next to your decisions. Without a name, your e-mail address is shown.",
        widget=forms.TextInput(attrs={"autocomplete": "name"}),
    )
