"""The form for a sign-in provider."""

from typing import Any

from django import forms

from visual_review.accounts.models import ROLE_CHOICES, SignInProvider

SEPARATOR = "="


class ProviderForm(forms.Form):
    name = forms.CharField(max_length=60, help_text="As on the button, for example Okta.")
    issuer = forms.CharField(
        label="Issuer URL",
        max_length=500,
        help_text="For example https://login.example.com. The discovery document is below it.",
    )
    client_id = forms.CharField(label="Client ID", max_length=255)
    client_secret = forms.CharField(
        label="Client secret",
        max_length=1000,
        required=False,
        widget=forms.PasswordInput(attrs={"autocomplete": "off"}),
    )
    domains = forms.CharField(
        label="Domains",
        max_length=2000,
        help_text="Of the e-mail addresses that may sign in, with spaces between.",
    )
    trusts_email = forms.BooleanField(
        label="Trust e-mails that the provider does not mark as verified (Entra ID)",
        required=False,
    )
    groups_claim = forms.CharField(
        label="Claim with the groups", max_length=100, initial="groups", required=False
    )
    group_roles = forms.CharField(
        label="Roles of groups",
        max_length=50_000,
        required=False,
        widget=forms.Textarea(attrs={"rows": 4, "spellcheck": "false"}),
        help_text="One on each line, such as <code>frontend = reviewer</code>. Someone in several "
        "has the role that allows most. Empty: roles are changed on the page of members.",
    )
    default_role = forms.ChoiceField(
        label="Everyone else",
        required=False,
        choices=[("", "May not sign in"), *ROLE_CHOICES],
        initial="viewer",
    )

    @classmethod
    def of(cls, row: SignInProvider) -> "ProviderForm":
        """Return the form with the settings of a provider, without the secret."""
        lines = [f"{group} {SEPARATOR} {role}" for group, role in row.group_roles.items()]
        shown = ("name", "issuer", "client_id", "trusts_email", "groups_claim", "default_role")
        initial = {name: getattr(row, name) for name in shown}
        texts = {"domains": " ".join(row.domains), "group_roles": "\n".join(lines)}
        return cls(initial=initial | texts)

    def clean_group_roles(self) -> list[dict[str, str]]:
        pairs = []
        for line in filter(str.strip, self.cleaned_data["group_roles"].splitlines()):
            # A name may contain the separator, a role does not.
            group, separator, role = line.rpartition(SEPARATOR)
            if not separator or not group.strip():
                raise forms.ValidationError(f"“{line[:60]}” is not like “group = role”.")
            pairs.append({"group": group.strip(), "role": role.strip().lower()})
        return pairs

    def payload(self) -> dict[str, Any]:
        values = self.cleaned_data
        texts = ("name", "issuer", "client_id", "client_secret", "default_role")
        return {
            **{_camel(name): values[name] for name in texts},
            "domains": values["domains"].replace(",", " ").split(),
            "groupsClaim": values["groups_claim"] or "groups",
            "groupRoles": values["group_roles"],
            "trustsEmail": values["trusts_email"],
        }


def _camel(name: str) -> str:
    first, *others = name.split("_")
    return first + "".join(map(str.capitalize, others))
