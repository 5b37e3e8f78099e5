"""What the header of every page shows: the person, the organization, and the links they may use."""

from dataclasses import dataclass

from django.http import HttpRequest
from django.urls import reverse

from visual_review.accounts.permissions import permissions_of
from visual_review.web.membership import current_membership, memberships_of


@dataclass(frozen=True)
class Link:
    label: str
    url: str
    current: bool


# Label, name of the address, permission it needs beyond membership.
_NAVIGATION: tuple[tuple[str, str, str | None], ...] = (("Repositories", "repositories", None),)


def page(request: HttpRequest) -> dict[str, object]:
    """Context processor. ``may`` holds the permissions, written with ``_`` for ``:``."""
    membership = current_membership(request)
    if membership is None:
        return {"membership": None, "navigation": [], "may": {}}
    allowed = permissions_of(membership.role)
    return {
        "membership": membership,
        "organization": membership.organization,
        "organizations": memberships_of(request),
        "navigation": list(_links(request, allowed)),
        "may": {name.replace(":", "_"): True for name in allowed},
    }


def _links(request: HttpRequest, allowed: frozenset[str]) -> list[Link]:
    links = []
    for label, name, permission in _NAVIGATION:
        if permission is not None and permission not in allowed:
            continue
        url = reverse(name)
        links.append(Link(label, url, current=request.path.startswith(url)))
    return links
