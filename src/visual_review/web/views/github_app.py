"""The pages for creating a GitHub App and installing it, and so connecting an account."""

import json
import secrets
from typing import Final
from urllib.parse import urlencode

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_POST, require_safe

from visual_review.kernel.errors import ConflictError, InvalidInputError, UnavailableError
from visual_review.kernel.ids import new_id
from visual_review.repositories.host_accounts import ALREADY_CONNECTED, account_of
from visual_review.web.github_app import (
    build_manifest,
    forget_pending,
    has_webhooks,
    install_url,
    permissions_of,
    read_pending,
    store_pending,
)
from visual_review.web.limits import rate_limited
from visual_review.web.reauthentication import confirmed
from visual_review.web.requests import (
    caller_of,
    member_required,
    require_manager,
    require_membership,
    run_action,
)
from visual_review.web.security import allow_origins
from visual_review.web.views.source_host import GitHubAppForm, render_connect

OTHER_SESSION: Final = (
    "This response of GitHub belongs to another browser or session. Start again on this page."
)
NOT_INSTALLED: Final = (
    "The app is not installed yet. If an owner of your organization at GitHub has to approve the "
    "installation, open “Install the app” again after that."
)
FAILURES = (ConflictError, InvalidInputError, UnavailableError)


@require_POST
@member_required
@confirmed
def start(request: HttpRequest) -> HttpResponse:
    """Show the app's permissions, with the button leading to GitHub."""
    require_manager(request)
    if account_of(caller_of(request).organization_id) is not None:
        messages.error(request, ALREADY_CONNECTED)
        return redirect("source_host")
    form = GitHubAppForm(request.POST)
    if not form.is_valid():
        return render_connect(request, app_form=form)
    address, owner = form.cleaned_data["address"].rstrip("/"), form.cleaned_data["organization"]
    pending = {
        "state": secrets.token_urlsafe(),
        "address": form.cleaned_data["address"],
        "accountId": new_id("host"),
    }
    store_pending(request, pending)
    organization = require_membership(request).organization.name
    manifest = build_manifest(organization, pending["accountId"], owner)
    settings_page = f"organizations/{owner}/settings" if owner else "settings"
    query = urlencode({"state": pending["state"]})
    context = {
        "address": address,
        "owner": owner,
        "url": f"{address}/{settings_page}/apps/new?{query}",
        "manifest": json.dumps(manifest),
        "permissions": {
            name.replace("_", " ").capitalize(): access
            for name, access in permissions_of(owner).items()
        },
        "has_webhooks": has_webhooks(),
    }
    response = render(request, "web/github_app.html", context)
    return allow_origins(response, forms=[address])


@require_safe
@member_required
@rate_limited("connect_host", frozenset({"GET"}))
def created(request: HttpRequest) -> HttpResponse:
    """Take the new app's credentials, and lead to the app's installation at GitHub."""
    require_manager(request)
    pending = read_pending(request)
    state = request.GET.get("state", "")
    if not pending or not secrets.compare_digest(state.encode(), pending["state"].encode()):
        return render_connect(request, problem=OTHER_SESSION)
    if "appId" not in pending:
        payload = {"address": pending["address"], "code": request.GET.get("code", "")}
        try:
            made = run_action(request, "create_github_app", payload)
        except FAILURES as error:
            return render_connect(request, problem=str(error))
        pending |= made.model_dump(by_alias=True)
        store_pending(request, pending)
    return redirect(install_url(pending))


@require_safe
@member_required
@rate_limited("connect_host", frozenset({"GET"}))
def installed(request: HttpRequest) -> HttpResponse:
    """Connect the account, once GitHub has installed the app."""
    require_manager(request)
    pending = read_pending(request)
    if account_of(caller_of(request).organization_id) is not None:
        # GitHub leads here also when the installation is changed later.
        forget_pending(request)
        return redirect("source_host")
    if "appId" not in pending:
        return render_connect(request, problem=OTHER_SESSION)
    installation_id = request.GET.get("installation_id", "")
    if not installation_id:
        return render_connect(request, problem=NOT_INSTALLED)
    payload = {
        "kind": "github",
        "address": pending["address"],
        "credentials": {
            "app_id": pending["appId"],
            "installation_id": installation_id,
            "private_key": pending["privateKey"],
        },
        "accountId": pending["accountId"],
        "webhookSecret": pending["webhookSecret"],
    }
    try:
        run_action(request, "connect_host", payload)
    except FAILURES as error:
        return render_connect(request, problem=str(error))
    forget_pending(request)
    messages.success(request, "The GitHub App is connected.")
    return redirect("source_host")
