"""Template context of every page's header: the person, the organization and the allowed links."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from django.conf import settings
from django.http import HttpRequest
from django.urls import reverse
from django.utils.html import format_html

from visual_review.accounts.further_organizations import creation_allowed
from visual_review.accounts.permissions import AUDIT_VIEW, REPOS_MANAGE, permissions_of
from visual_review.kernel.disk_reserve import DiskReserve
from visual_review.web.membership import current_membership, memberships_of
from visual_review.web.organization_switching import FORM_FIELD

# By the name of the page's URL; the longest beginning counts, so an area can have an entry.
HELP: Final[Mapping[str, str]] = {
    "": "tutorial/first-review/",
    "account": "how-to/accounts/",
    "apps": "how-to/connect-mcp-clients/",
    "audit": "how-to/accounts/",
    "authorize": "explanation/mcp-client-sign-in/",
    "baseline": "explanation/baselines-and-decisions/",
    "build": "how-to/review/",
    "channel": "how-to/messages/",
    "failed_jobs": "reference/faults/#failed-jobs",
    "home": "how-to/review/",
    "invitation": "how-to/accounts/",
    "keys": "how-to/review-with-an-agent/",
    "mail": "how-to/messages/",
    "github_app": "how-to/connect-git-provider/",
    "invite_from_provider": "how-to/accounts/#invite-from-the-git-provider",
    "member": "how-to/accounts/",
    "mfa": "how-to/accounts/#a-second-factor",
    "new_sign_in_provider": "how-to/single-sign-on/",
    "outbox": "how-to/pull-requests/",
    "owners": "how-to/owners/",
    "recording": "how-to/recordings/",
    "regions": "how-to/review/",
    "repositories": "tutorial/first-review/#2-connect-a-repository",
    "repository": "how-to/review/",
    "repository_settings": "how-to/publish/",
    "sign": "how-to/single-sign-on/",
    "single_sign_on": "how-to/single-sign-on/",
    "source_host": "how-to/connect-git-provider/",
    "storage": "how-to/retention/",
    "run_job_again": "reference/faults/#failed-jobs",
    "story": "explanation/baselines-and-decisions/",
}


@dataclass(frozen=True)
class Link:
    label: str
    url: str
    current: bool


@dataclass(frozen=True)
class Area:
    """A link in the header: its page, and the URL paths for marking the link as current."""

    label: str
    name: str
    paths: tuple[str, ...]
    permission: str | None = None


AREAS = (
    Area("Waiting", "home", ()),
    Area(
        "Repositories",
        "repositories",
        ("/repositories", "/builds", "/baselines", "/screenshots", "/recordings"),
    ),
    Area("Members", "members", ("/members",)),
    Area("API keys", "keys", ("/keys",)),
    Area("Git provider", "source_host", ("/source-host",), REPOS_MANAGE),
    Area("Messages", "channels", ("/messages",), REPOS_MANAGE),
    Area("Storage", "storage", ("/storage", "/failed-jobs"), REPOS_MANAGE),
    Area("Audit log", "audit", ("/audit",), AUDIT_VIEW),
)


def navigation(request: HttpRequest) -> dict[str, object]:
    """Context processor. ``may`` contains the permissions, with ``_`` instead of ``:``."""
    membership = current_membership(request)
    match = request.resolver_match
    help_path = help_of(match.url_name or "" if match else "")
    # Anonymous visitors and people without an organization get the same header.
    if membership is None:
        return {
            "membership": None,
            "navigation": [],
            "may": {},
            "help_path": help_path,
            "disk_notice": describe_disk(warned=False),
            "organization_creation": creation_allowed(),
        }
    # Hiding links is for convenience only; each page checks the permission itself.
    allowed = permissions_of(membership.role)
    links = list(_list_links(request, allowed))
    return {
        "membership": membership,
        "organization": membership.organization,
        "organizations": memberships_of(request),
        # In every form of an organization's page: the page's organization.
        "organization_field": format_html(
            '<input type="hidden" name="{}" value="{}">', FORM_FIELD, membership.organization_id
        ),
        "organization_creation": creation_allowed(),
        "navigation": links,
        "help_path": help_path,
        "disk_notice": describe_disk(
            warned=REPOS_MANAGE in allowed and match is not None and match.url_name == "home"
        ),
        "area": next((link.label for link in links if link.current), ""),
        "may": {name.replace(":", "_"): True for name in allowed},
    }


def describe_disk(*, warned: bool) -> str:
    """Return the message on a full disk; if ``warned``, also on a nearly full one."""
    reserve: DiskReserve | None = settings.DISK_RESERVE
    if reserve is None:
        return ""
    if reserve.is_full():
        return (
            f"The disk of the service is full: {reserve.missing_megabytes():,} MB must be freed. Until "
            "then, nothing new is stored, and decisions are refused."
        )
    if warned and reserve.is_nearly_full():
        return (
            f"The disk of the service is nearly full: {reserve.free_megabytes():,} MB are free. Free "
            "some space, or let builds be deleted earlier (Storage)."
        )
    return ""


def _list_links(request: HttpRequest, allowed: frozenset[str]) -> list[Link]:
    return [
        Link(
            area.label,
            reverse(area.name),
            current=request.path == reverse(area.name) or request.path.startswith(area.paths),
        )
        for area in AREAS
        if area.permission is None or area.permission in allowed
    ]


def help_of(url_name: str) -> str:
    """Return the path of the documentation on the page of this name."""
    return HELP[max((name for name in HELP if url_name.startswith(name)), key=len)]
