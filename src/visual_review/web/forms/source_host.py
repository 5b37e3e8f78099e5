"""The forms that connect an account at a source host, or renew its credentials."""

from dataclasses import dataclass
from typing import Any, Final

from django import forms
from django.conf import settings

from visual_review.repositories.models import HostAccount

# Where the address tells which kind of host it is.
KIND_OF: Final = {
    "https://github.com": "github",
    "https://gitlab.com": "gitlab",
    "https://gitea.com": "gitea",
    "https://codeberg.org": "gitea",
}
MEMORY: Final = "memory://"
NOT_THIS_KIND: Final = "This address is not of that kind of host."


@dataclass(frozen=True)
class Access:
    """A way to be known to a host: its kind, and the fields it takes."""

    kind: str
    label: str
    fields: tuple[str, ...]


ACCESSES: Final = {
    "github-app": Access("github", "GitHub App", ("app_id", "installation_id", "private_key")),
    "github-token": Access("github", "GitHub, personal access token", ("token",)),
    "gitlab-token": Access("gitlab", "GitLab, access token", ("token",)),
    "gitea-token": Access("gitea", "Gitea or Forgejo, access token", ("token",)),
    "memory-token": Access("memory", "The host in memory, for demonstrations", ("token",)),
}
SECRET: Final = {"autocomplete": "off", "spellcheck": "false"}


class SecretText(forms.Textarea):
    """What was typed is never written into a page again."""

    def format_value(self, value: Any) -> None:  # noqa: ANN401, ARG002 - As Django has it.
        return None


class CredentialsForm(forms.Form):
    """``credentials`` are the fields that the chosen access takes, and no others."""

    access = forms.ChoiceField(label="Access by", widget=forms.RadioSelect)
    app_id = forms.CharField(label="App id", required=False, max_length=40)
    installation_id = forms.CharField(label="Installation id", required=False, max_length=40)
    private_key = forms.CharField(
        label="Private key (PEM)",
        required=False,
        widget=SecretText(attrs={**SECRET, "rows": 4}),
        help_text="The whole file, from BEGIN to END.",
    )
    token = forms.CharField(
        label="Token", required=False, widget=forms.PasswordInput(attrs={"autocomplete": "off"})
    )

    def __init__(self, account: HostAccount | None, *args: Any, **kwargs: Any) -> None:  # noqa: ANN401 - As Django has it.
        super().__init__(*args, **kwargs)
        choices = _accesses(account)
        field = self.fields["access"]
        assert isinstance(field, forms.ChoiceField)  # noqa: S101 - It tells mypy the class.
        field.choices = [(name, access.label) for name, access in choices.items()]
        field.initial = next(iter(choices), None)
        self.uses_app = "github-app" in choices

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        access = ACCESSES.get(cleaned.get("access", ""))
        if access is not None:
            for name in access.fields:
                if not cleaned.get(name):
                    self.add_error(name, f"{access.label} needs this.")
        return cleaned

    @property
    def kind(self) -> str:
        return self._access().kind

    def credentials(self) -> dict[str, str]:
        return {name: self.cleaned_data[name] for name in self._access().fields}

    def _access(self) -> Access:
        return ACCESSES[self.cleaned_data["access"]]


class ConnectForm(CredentialsForm):
    address = forms.ChoiceField(
        label="Source host",
        help_text="Another one? Whoever runs this service names it in VISUAL_REVIEW_SOURCE_HOSTS.",
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:  # noqa: ANN401 - As Django has it.
        super().__init__(None, *args, **kwargs)
        field = self.fields["address"]
        assert isinstance(field, forms.ChoiceField)  # noqa: S101 - It tells mypy the class.
        field.choices = [(address, address) for address in settings.SOURCE_HOSTS]

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean()
        address, access = cleaned.get("address", ""), ACCESSES.get(cleaned.get("access", ""))
        if access is not None and _kind_at(address) not in ("", access.kind):
            self.add_error("access", NOT_THIS_KIND)
        return cleaned

    def payload(self) -> dict[str, object]:
        return {
            "kind": self.kind,
            "address": self.cleaned_data["address"],
            "credentials": self.credentials(),
        }


def _kind_at(address: str) -> str:
    """The kind of host an address is known for; empty for addresses of one's own."""
    return "memory" if address.startswith(MEMORY) else KIND_OF.get(address, "")


def _accesses(account: HostAccount | None) -> dict[str, Access]:
    if account is not None:
        kinds = {account.kind}
    else:
        known = {_kind_at(address) for address in settings.SOURCE_HOSTS}
        # An address of one's own may be of any kind.
        kinds = {"github", "gitlab", "gitea"} | known if "" in known else known
    return {name: access for name, access in ACCESSES.items() if access.kind in kinds}
