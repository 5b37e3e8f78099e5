"""Template context of every page's header: the person, the organization and the allowed links."""

from dataclasses import dataclass

from django.http import HttpRequest
from django.urls import reverse
from django.utils.html import format_html

from visual_review.accounts.further_organizations import creation_allowed
from visual_review.accounts.permissions import AUDIT_VIEW, REPOS_MANAGE, permissions_of
from visual_review.web.help import help_of
from visual_review.web.membership import current_membership, memberships_of
from visual_review.web.organization_switching import FORM_FIELD


@dataclass(frozen=True)
class Link:
    label: str
    url: str
    current: bool


@dataclass(frozen=True)
class Area:
    """A link in the header: its page, and the URL paths for which it is marked as current."""

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
    Area("Storage", "storage", ("/storage",), REPOS_MANAGE),
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
            "organization_creation": creation_allowed(),
        }
    # Hiding links is for convenience only; each page checks the permission itself.
    allowed = permissions_of(membership.role)
    links = list(_list_links(request, allowed))
    return {
        "membership": membership,
        "organization": membership.organization,
        "organizations": memberships_of(request),
        # In every form of an organization's page: which one it was made for.
        "organization_field": format_html(
            '<input type="hidden" name="{}" value="{}">', FORM_FIELD, membership.organization_id
        ),
        "organization_creation": creation_allowed(),
        "navigation": links,
        "help_path": help_path,
        "area": next((link.label for link in links if link.current), ""),
        "may": {name.replace(":", "_"): True for name in allowed},
    }


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
