"""What the header of every page shows: the person, the organization, and the links they may use."""

from dataclasses import dataclass

from django.http import HttpRequest
from django.urls import reverse

from visual_review.accounts.permissions import AUDIT_VIEW, REPOS_MANAGE, permissions_of
from visual_review.web.membership import current_membership, memberships_of


@dataclass(frozen=True)
class Link:
    label: str
    url: str
    current: bool


@dataclass(frozen=True)
class Area:
    """A link of the header: the page it leads to, and whose pages count as being there."""

    label: str
    name: str
    begins: tuple[str, ...]
    permission: str | None = None


_AREAS = (
    Area(
        "Repositories",
        "repositories",
        ("/repositories", "/builds", "/baselines", "/screenshots", "/recordings"),
    ),
    Area("Members", "members", ("/members",)),
    Area("API keys", "keys", ("/keys",)),
    Area("Source host", "source_host", ("/source-host",), REPOS_MANAGE),
    Area("Storage", "storage", ("/storage",), REPOS_MANAGE),
    Area("Audit log", "audit", ("/audit",), AUDIT_VIEW),
)


def page(request: HttpRequest) -> dict[str, object]:
    """Context processor. ``may`` holds the permissions, written with ``_`` for ``:``."""
    membership = current_membership(request)
    # Pages for strangers and people without an organization have the same header.
    if membership is None:
        return {"membership": None, "navigation": [], "may": {}}
    # Links are left out for comfort only; each page asks for the permission itself.
    allowed = permissions_of(membership.role)
    return {
        "membership": membership,
        "organization": membership.organization,
        "organizations": memberships_of(request),
        "navigation": list(_links(request, allowed)),
        "may": {name.replace(":", "_"): True for name in allowed},
    }


def _links(request: HttpRequest, allowed: frozenset[str]) -> list[Link]:
    return [
        Link(area.label, reverse(area.name), current=request.path.startswith(area.begins))
        for area in _AREAS
        if area.permission is None or area.permission in allowed
    ]
