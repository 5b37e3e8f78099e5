"""The account at a Git provider: connecting, checking, disconnecting; and its deliveries."""

from dataclasses import dataclass
from datetime import datetime
from typing import Final

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_POST

from visual_review.accounts.permissions import REPOS_MANAGE
from visual_review.kernel.clock import now
from visual_review.kernel.errors import ForbiddenError, UnavailableError
from visual_review.repositories.host_accounts import account_of, connected_account, webhook_url
from visual_review.repositories.models import HostAccount, WebhookDelivery
from visual_review.repositories.queries import repositories_of
from visual_review.web.cursor_pages import read_page
from visual_review.web.forms.problems import FORM_ERRORS, add_form_errors
from visual_review.web.forms.source_host import ConnectForm, CredentialsForm, GitHubAppForm
from visual_review.web.github_app import install_url, read_pending
from visual_review.web.limits import rate_limited
from visual_review.web.reauthentication import confirmed, confirmed_with_secret
from visual_review.web.requests import caller_of, member_required, run_action, try_action
from visual_review.web.security import secret_page

DELIVERIES_SHOWN = 20
EVENT_TITLES = {
    "ping": "Test delivery",
    "pull_request": "Pull request",
    "branch_deleted": "Branch deleted",
    "repository_renamed": "Repository renamed",
    "repository_transferred": "Repository transferred",
    "repository_removed": "Repository removed",
}
MANAGERS_ONLY: Final = (
    "You need permission to manage repositories to open this page. "
    "Ask an owner of the organization."
)
# The events to select at the provider, by the provider's names.
WEBHOOK_EVENTS: Final = {
    "github": ("Pull requests", "Branch or tag deletion", "Repositories"),
    "gitlab": ("Merge request events", "Push events", "Project events (of a group or system hook)"),
    "gitea": ("Pull Request", "Delete", "Repository"),
}
PER_PAGE: Final = 50
PROVIDER_ERRORS = (*FORM_ERRORS, UnavailableError)


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


def require_manager(request: HttpRequest) -> None:
    if not caller_of(request).may(REPOS_MANAGE):
        raise ForbiddenError(MANAGERS_ONLY)
