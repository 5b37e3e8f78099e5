"""The account at a source host: connecting one, what it reaches, and ending it."""

from typing import Final

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_POST

from visual_review.accounts.permissions import REPOS_MANAGE
from visual_review.kernel.clock import now
from visual_review.kernel.errors import ForbiddenError, UnavailableError
from visual_review.repositories.host_accounts import account_of, connected_account, webhook_url
from visual_review.repositories.models import HostAccount
from visual_review.repositories.queries import repositories_of
from visual_review.web.deliveries import newest_deliveries
from visual_review.web.forms.problems import REFUSALS, show_problems
from visual_review.web.forms.source_host import ConnectForm, CredentialsForm
from visual_review.web.limits import limited
from visual_review.web.requests import attempt, caller_of, member, run
from visual_review.web.security import secret_page

MANAGERS_ONLY: Final = (
    "This page needs the permission 'repos:manage'. Ask an owner of the organization for it."
)
# What to tick at the host, in its own words.
EVENTS: Final = {
    "github": ("Pull requests", "Branch or tag deletion", "Repositories"),
    "gitlab": ("Merge request events", "Push events", "Project events (of a group or system hook)"),
    "gitea": ("Pull Request", "Delete", "Repository"),
    "memory": ("All events",),
}
GONE_WRONG = (*REFUSALS, UnavailableError)


@require_http_methods(["GET", "HEAD", "POST"])
@member
@limited("connect_host")
def source_host(request: HttpRequest) -> HttpResponse:
    _require_manager(request)
    account = account_of(caller_of(request).organization_id)
    if account is not None and request.method != "POST":
        return _account_page(request, account, CredentialsForm(account))
    form = ConnectForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        try:
            connected = run(request, "connect_host", form.payload())
        except GONE_WRONG as error:
            show_problems(form, error)
        else:
            return _webhook_page(request, connected.webhook_secret)
    status = 400 if form.errors else 200
    return render(request, "web/source_host_connect.html", {"form": form}, status=status)


@require_POST
@member
@limited("connect_host")
def change_credentials(request: HttpRequest) -> HttpResponse:
    _require_manager(request)
    account = connected_account(caller_of(request).organization_id)
    form = CredentialsForm(account, request.POST)
    if form.is_valid():
        try:
            run(request, "change_host_credentials", {"credentials": form.credentials()})
        except GONE_WRONG as error:
            show_problems(form, error)
        else:
            messages.success(request, "The new credentials work and were stored.")
            return redirect("source_host")
    return _account_page(request, account, form)


@require_POST
@member
@limited("connect_host")
def check(request: HttpRequest) -> HttpResponse:
    checked = attempt(request, "check_host", {})
    if checked is not None and checked.problem:
        messages.error(request, checked.problem)
    elif checked is not None:
        messages.success(request, f"The host knows this account as {checked.name}.")
    return redirect("source_host")


@require_POST
@member
def renew_secret(request: HttpRequest) -> HttpResponse:
    renewed = run(request, "renew_webhook_secret", {})
    return _webhook_page(request, renewed.webhook_secret)


@require_POST
@member
def disconnect(request: HttpRequest) -> HttpResponse:
    ended = attempt(request, "disconnect_host", {})
    if ended is not None:
        messages.success(request, f"{ended.name} at {ended.address} was disconnected.")
    return redirect("source_host")


def _account_page(
    request: HttpRequest, account: HostAccount, form: CredentialsForm
) -> HttpResponse:
    paused = account.paused_until
    context = {
        "account": account,
        "deliveries": newest_deliveries(account),
        "paused": paused if paused is not None and paused > now() else None,
        "repositories": repositories_of(account.organization_id),
        "webhook_address": webhook_url(account),
        "events": EVENTS.get(account.kind, ()),
        "form": form,
    }
    status = 400 if form.errors else 200
    return render(request, "web/source_host.html", context, status=status)


@secret_page
def _webhook_page(request: HttpRequest, secret: str) -> HttpResponse:
    """Shown as the answer itself, so that the secret is in no address, session or cache."""
    account = connected_account(caller_of(request).organization_id)
    context = {
        "account": account,
        "webhook_address": webhook_url(account),
        "webhook_secret": secret,
        "events": EVENTS.get(account.kind, ()),
    }
    return render(request, "web/source_host_webhook.html", context)


def _require_manager(request: HttpRequest) -> None:
    if not caller_of(request).may(REPOS_MANAGE):
        raise ForbiddenError(MANAGERS_ONLY)
