"""The forms for connecting an account at a Git provider or replacing its credentials."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from django import forms
from django.conf import settings
from django.core.validators import RegexValidator

from visual_review.repositories.models import HostAccount

# Providers whose kind is known from the base URL.
KINDS_BY_URL: Final = {
    "https://github.com": "github",
    "https://gitlab.com": "gitlab",
    "https://gitea.com": "gitea",
    "https://codeberg.org": "gitea",
}
WRONG_PROVIDER: Final = "The selected Git provider does not support this kind of authentication."


@dataclass(frozen=True)
class AuthMethod:
    """A way to authenticate with a provider: the provider's kind, and the required fields."""

    kind: str
    label: str
    fields: tuple[str, ...]


AUTH_METHODS: Final = {
    "github-app": AuthMethod("github", "GitHub App", ("app_id", "installation_id", "private_key")),
    "github-token": AuthMethod("github", "GitHub, personal access token", ("token",)),
    "gitlab-token": AuthMethod("gitlab", "GitLab, access token", ("token",)),
    "gitea-token": AuthMethod("gitea", "Gitea or Forgejo, access token", ("token",)),
}
SECRET: Final = {"autocomplete": "off", "spellcheck": "false"}


class SecretTextarea(forms.Textarea):
    """A text area whose value is never written into a page again."""

    def format_value(self, value: Any) -> None:  # noqa: ANN401, ARG002 - As Django has it.
        return None


class CredentialsForm(forms.Form):
    """The credentials; ``credentials()`` returns the fields of the chosen method only."""

    access = forms.ChoiceField(label="Authentication", widget=forms.RadioSelect)
    app_id = forms.CharField(label="App ID", required=False, max_length=40)
    installation_id = forms.CharField(label="Installation ID", required=False, max_length=40)
    private_key = forms.CharField(
        label="Private key (PEM)",
        required=False,
        widget=SecretTextarea(attrs={**SECRET, "rows": 4}),
        help_text="Paste the whole file, including the BEGIN and END lines.",
    )
    token = forms.CharField(
        label="Token", required=False, widget=forms.PasswordInput(attrs={"autocomplete": "off"})
    )

    def __init__(self, account: HostAccount | None, *args: Any, **kwargs: Any) -> None:  # noqa: ANN401 - As Django has it.
        super().__init__(*args, **kwargs)
        choices = _list_auth_methods(account)
        field = self.fields["access"]
        assert isinstance(field, forms.ChoiceField)  # noqa: S101 - For mypy, which does not know the class.
        field.choices = [(name, method.label) for name, method in choices.items()]
        field.initial = next(iter(choices), None)
        self.uses_app = "github-app" in choices

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        method = AUTH_METHODS.get(cleaned.get("access", ""))
        if method is not None:
            for name in method.fields:
                if not cleaned.get(name):
                    self.add_error(name, f"{method.label} requires this field.")
        return cleaned

    @property
    def kind(self) -> str:
        return self._selected_method().kind

    def credentials(self) -> dict[str, str]:
        return {name: self.cleaned_data[name] for name in self._selected_method().fields}

    def _selected_method(self) -> AuthMethod:
        return AUTH_METHODS[self.cleaned_data["access"]]


class ConnectForm(CredentialsForm):
    address = forms.ChoiceField(
        label="Git provider",
        help_text="Not listed? The administrator of this server can add it to "
        "VISUAL_REVIEW_SOURCE_HOSTS.",
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:  # noqa: ANN401 - As Django has it.
        super().__init__(None, *args, **kwargs)
        field = self.fields["address"]
        assert isinstance(field, forms.ChoiceField)  # noqa: S101 - For mypy, which does not know the class.
        field.choices = [(base_url, base_url) for base_url in settings.SOURCE_HOSTS]

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean()
        base_url, method = cleaned.get("address", ""), AUTH_METHODS.get(cleaned.get("access", ""))
        if method is not None and _find_kind(base_url) not in ("", method.kind):
            self.add_error("access", WRONG_PROVIDER)
        return cleaned

    @property
    def kinds_json(self) -> str:
        """Return the kinds of providers by their URLs, for the script; others may be of any kind."""
        return json.dumps(KINDS_BY_URL)

    def payload(self) -> dict[str, object]:
        return {
            "kind": self.kind,
            "address": self.cleaned_data["address"],
            "credentials": self.credentials(),
        }


class GitHubAppForm(forms.Form):
    """Where a GitHub App is created, and for whom."""

    address = forms.ChoiceField(label="GitHub")
    organization = forms.CharField(
        label="Organization at GitHub",
        required=False,
        max_length=39,
        help_text="As in its URL. Leave empty for repositories of your own account.",
        validators=[RegexValidator(r"\A[A-Za-z0-9-]+\Z", "Enter the name as in the URL.")],
    )

    def __init__(self, data: Mapping[str, Any] | None = None) -> None:
        # The page has another form with a URL.
        super().__init__(data, auto_id="app_%s")
        field = self.fields["address"]
        assert isinstance(field, forms.ChoiceField)  # noqa: S101 - For mypy, which does not know the class.
        field.choices = [
            (url, url) for url in settings.SOURCE_HOSTS if _find_kind(url) in {"", "github"}
        ]


def _find_kind(base_url: str) -> str:
    """Return the kind of provider at a known base URL; empty for a self-hosted one."""
    return KINDS_BY_URL.get(base_url, "")


def _list_auth_methods(account: HostAccount | None) -> dict[str, AuthMethod]:
    if account is not None:
        kinds = {account.kind}
    else:
        known = {_find_kind(base_url) for base_url in settings.SOURCE_HOSTS}
        # A self-hosted provider may be of any kind.
        kinds = {"github", "gitlab", "gitea"} | known if "" in known else known
    return {name: method for name, method in AUTH_METHODS.items() if method.kind in kinds}
