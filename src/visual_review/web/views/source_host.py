"""The account at a Git provider: connecting, checking, disconnecting; and its deliveries."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from django import forms
from django.conf import settings
from django.contrib import messages
from django.core.validators import RegexValidator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_POST

from visual_review.kernel.clock import now
from visual_review.kernel.errors import UnavailableError
from visual_review.repositories.host_accounts import account_of, connected_account, webhook_url
from visual_review.repositories.models import HostAccount, WebhookDelivery
from visual_review.repositories.queries import repositories_of
from visual_review.web.cursor_pages import read_page
from visual_review.web.forms.problems import FORM_ERRORS, add_form_errors
from visual_review.web.github_app import install_url, read_pending
from visual_review.web.limits import rate_limited
from visual_review.web.reauthentication import confirmed, confirmed_with_secret
from visual_review.web.requests import (
    caller_of,
    member_required,
    require_manager,
    run_action,
    try_action,
)
from visual_review.web.security import secret_page

# Providers whose kind is known from the base URL.
KINDS_BY_URL: Final = {
    "https://github.com": "github",
    "https://gitlab.com": "gitlab",
    "https://gitea.com": "gitea",
    "https://codeberg.org": "gitea",
}
WRONG_PROVIDER: Final = "The selected Git provider does not support this kind of authentication."
DELIVERIES_SHOWN = 20
EVENT_TITLES = {
    "ping": "Test delivery",
    "pull_request": "Pull request",
    "branch_deleted": "Branch deleted",
    "repository_renamed": "Repository renamed",
    "repository_transferred": "Repository transferred",
    "repository_removed": "Repository removed",
}
# The events to select at the provider, by the provider's names.
WEBHOOK_EVENTS: Final = {
    "github": ("Pull requests", "Branch or tag deletion", "Repositories"),
    "gitlab": ("Merge request events", "Push events", "Project events (of a group or system hook)"),
    "gitea": ("Pull Request", "Delete", "Repository"),
}
PER_PAGE: Final = 50
PROVIDER_ERRORS = (*FORM_ERRORS, UnavailableError)


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


@dataclass(frozen=True)
class Delivery:
    """One webhook delivery; ``outcome`` is empty until a job has processed it."""

    id: str
    title: str
    received_at: datetime
    outcome: str


def list_recent_deliveries(account: HostAccount) -> list[Delivery]:
    """Return the latest deliveries, newest first; empty if no webhook is set up or none arrives."""
    rows = WebhookDelivery.objects.filter(account=account).order_by("-received_at", "-id")
    return [
        Delivery(
            row.delivery_id, EVENT_TITLES.get(row.kind, row.kind), row.received_at, row.outcome
        )
        for row in rows[:DELIVERIES_SHOWN]
    ]


@require_http_methods(["GET", "HEAD", "POST"])
@member_required
@confirmed_with_secret
@rate_limited("connect_host")
def source_host(request: HttpRequest) -> HttpResponse:
    require_manager(request)
    account = account_of(caller_of(request).organization_id)
    if account is not None and request.method != "POST":
        return _render_account(request, account, CredentialsForm(account))
    form = ConnectForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        try:
            connected = run_action(request, "connect_host", form.payload())
        except PROVIDER_ERRORS as error:
            add_form_errors(form, error)
        else:
            return _render_webhook(request, connected.webhook_secret)
    return render_connect(request, form)


def render_connect(
    request: HttpRequest,
    form: ConnectForm | None = None,
    app_form: GitHubAppForm | None = None,
    problem: str = "",
) -> HttpResponse:
    """Render the page without an account; ``problem`` says why an app was not connected."""
    context = {
        "form": form or ConnectForm(),
        "app_form": app_form or GitHubAppForm(),
        "problem": problem,
        "install_url": install_url(read_pending(request)),
    }
    has_errors = problem or (form and form.errors) or (app_form and app_form.errors)
    status = 400 if has_errors else 200
    return render(request, "web/source_host_connect.html", context, status=status)


@require_POST
@member_required
@confirmed_with_secret
@rate_limited("connect_host")
def change_credentials(request: HttpRequest) -> HttpResponse:
    require_manager(request)
    account = connected_account(caller_of(request).organization_id)
    form = CredentialsForm(account, request.POST)
    if form.is_valid():
        try:
            run_action(request, "change_host_credentials", {"credentials": form.credentials()})
        except PROVIDER_ERRORS as error:
            add_form_errors(form, error)
        else:
            messages.success(request, "The new credentials work and were saved.")
            return redirect("source_host")
    return _render_account(request, account, form)


@require_POST
@member_required
@rate_limited("connect_host")
def check(request: HttpRequest) -> HttpResponse:
    checked = try_action(request, "check_host", {})
    if checked is not None and checked.problem:
        messages.error(request, checked.problem)
    elif checked is not None:
        messages.success(request, f"The credentials work. The account is {checked.name}.")
    return redirect("source_host")


@require_POST
@member_required
@confirmed
def renew_secret(request: HttpRequest) -> HttpResponse:
    renewed = run_action(request, "renew_webhook_secret", {})
    return _render_webhook(request, renewed.webhook_secret)


@require_POST
@member_required
@confirmed
def disconnect(request: HttpRequest) -> HttpResponse:
    ended = try_action(request, "disconnect_host", {})
    if ended is not None:
        messages.success(request, f"{ended.name} at {ended.address} was disconnected.")
    return redirect("source_host")


def _render_account(
    request: HttpRequest, account: HostAccount, form: CredentialsForm
) -> HttpResponse:
    paused = account.paused_until
    context = {
        "account": account,
        "deliveries": list_recent_deliveries(account),
        "paused": paused if paused is not None and paused > now() else None,
        "page": read_page(
            request, repositories_of(account.organization_id), ("full_name", "id"), PER_PAGE
        ),
        "webhook_url": webhook_url(account),
        "events": WEBHOOK_EVENTS.get(account.kind, ()),
        "form": form,
    }
    status = 400 if form.errors else 200
    return render(request, "web/source_host.html", context, status=status)


@secret_page
def _render_webhook(request: HttpRequest, secret: str) -> HttpResponse:
    """Render the secret directly, so that no URL, session or cache contains it."""
    account = connected_account(caller_of(request).organization_id)
    context = {
        "account": account,
        "webhook_url": webhook_url(account),
        "webhook_secret": secret,
        "events": WEBHOOK_EVENTS.get(account.kind, ()),
    }
    return render(request, "web/source_host_webhook.html", context)
