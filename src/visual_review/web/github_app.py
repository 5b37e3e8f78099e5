"""The manifest of a GitHub App, and the data of a session on the app until its installation.

https://docs.github.com/apps/sharing-github-apps/registering-a-github-app-from-a-manifest
"""

import json
from collections.abc import Mapping
from typing import Final
from urllib.parse import urlsplit

from django.conf import settings
from django.http import HttpRequest
from django.urls import reverse

from visual_review.kernel.encryption import DecryptionError, decrypt, encrypt
from visual_review.repositories.host_accounts import webhook_url_of
from visual_review.web.requests import caller_of

PENDING: Final = "github_app"
OWNER: Final = "organizationId"
LONGEST_NAME: Final = 34
PERMISSIONS: Final = {
    "metadata": "read",
    "contents": "read",
    "statuses": "write",
    "pull_requests": "write",
}
EVENTS: Final = ("pull_request", "delete", "repository")
# GitHub creates no app whose webhooks would go there.
LOCAL_HOSTS: Final = {"localhost", "127.0.0.1", "::1"}


def build_manifest(organization: str, account_id: str, owner: str) -> dict[str, object]:
    """Return the manifest of an app for ``owner``, an organization at GitHub, or a person if empty.

    ``account_id`` is the future id of the connected account: its webhook URL contains the id.
    """
    manifest: dict[str, object] = {
        "name": f"Visual Review {organization}"[:LONGEST_NAME].strip(),
        "url": settings.PUBLIC_URL,
        "redirect_url": f"{settings.PUBLIC_URL}{reverse('github_app_created')}",
        "setup_url": f"{settings.PUBLIC_URL}{reverse('github_app_installed')}",
        # Else an owner who approves an installation later would not be led back.
        "setup_on_update": True,
        "public": False,
        "default_permissions": permissions_of(owner),
        "default_events": EVENTS,
    }
    if has_webhooks():
        manifest["hook_attributes"] = {"url": webhook_url_of(account_id), "active": True}
    return manifest


def permissions_of(owner: str) -> dict[str, str]:
    # To invite people; a person's own account has no members.
    return {**PERMISSIONS, "members": "read"} if owner else PERMISSIONS


def has_webhooks() -> bool:
    return urlsplit(settings.PUBLIC_URL).hostname not in LOCAL_HOSTS


def store_pending(request: HttpRequest, pending: Mapping[str, str]) -> None:
    """Keep an app's credentials in the session, encrypted, until the app is installed."""
    owned = {**pending, OWNER: caller_of(request).organization_id}
    request.session[PENDING] = encrypt(json.dumps(owned))


def read_pending(request: HttpRequest) -> dict[str, str]:
    """Return the session's data on an app of this organization: empty if no app was begun."""
    try:
        found: dict[str, str] = json.loads(decrypt(request.session.get(PENDING, "")))
    except DecryptionError:
        return {}
    # The person may have switched to another organization meanwhile.
    return found if found.get(OWNER) == caller_of(request).organization_id else {}


def forget_pending(request: HttpRequest) -> None:
    request.session.pop(PENDING, None)


def install_url(pending: Mapping[str, str]) -> str:
    """Return the page at GitHub for installing the app; empty before the app exists."""
    return f"{pending['url']}/installations/new" if "url" in pending else ""
