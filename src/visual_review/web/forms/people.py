"""Forms for inviting people, joining and setup."""

from django import forms

from visual_review.accounts.models import ROLE_CHOICES
from visual_review.accounts.organizations import NAME_LENGTH as ORGANIZATION_NAME_LENGTH
from visual_review.accounts.users import NAME_LENGTH

EMAIL_LENGTH = 254


class InvitationForm(forms.Form):
    email = forms.EmailField(
        label="E-mail address",
        max_length=EMAIL_LENGTH,
        widget=forms.EmailInput(attrs={"autocomplete": "off"}),
    )
    role = forms.ChoiceField(label="Role", choices=ROLE_CHOICES, initial="reviewer")


class JoinForm(forms.Form):
    """A new account for an invited e-mail address."""

    name = forms.CharField(
        label="Your name",
        max_length=NAME_LENGTH,
        widget=forms.TextInput(attrs={"autocomplete": "name"}),
    )
    password = forms.CharField(
        label="Password",
        help_text="At least 12 characters, and not a common password.",
        # Spaces at the start and end of a password are part of it.
        strip=False,
        widget=forms.PasswordInput(attrs={"autocomplete": "new-password"}),
    )


class OrganizationForm(forms.Form):
    organization_name = forms.CharField(
        label="Name",
        max_length=ORGANIZATION_NAME_LENGTH,
        help_text="The name of a company or team.",
        widget=forms.TextInput(attrs={"autocomplete": "organization"}),
    )


class SetupForm(JoinForm):
    organization_name = forms.CharField(
        label="Organization",
        max_length=ORGANIZATION_NAME_LENGTH,
        help_text="The name of your company or team.",
        widget=forms.TextInput(attrs={"autocomplete": "organization"}),
    )
    email = forms.EmailField(
        label="Your e-mail address",
        max_length=EMAIL_LENGTH,
        widget=forms.EmailInput(attrs={"autocomplete": "username"}),
    )
    field_order = ("organization_name", "name", "email", "password")
