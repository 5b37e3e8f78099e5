"""The current organization of a signed-in person; stored in the session, always checked."""

from django.http import HttpRequest

from visual_review.accounts.models import Membership, User

SESSION_KEY = "organization_id"
_CACHE = "_visual_review_memberships"


def memberships_of(request: HttpRequest) -> list[Membership]:
    """Return the person's memberships, oldest first; empty if anonymous. Read once per request."""
    # A request rejected early, for example for its Host, has an error page but no user yet.
    user = getattr(request, "user", None)
    if not isinstance(user, User):
        return []
    # The header, the permissions and the view all need them, and each would make a query.
    cached: list[Membership] | None = getattr(request, _CACHE, None)
    if cached is None:
        rows = Membership.objects.filter(user=user).select_related("organization")
        cached = list(rows.order_by("created_at", "id"))
        setattr(request, _CACHE, cached)
    return cached


def choose_organization(request: HttpRequest, organization_id: str) -> None:
    """Make an organization the current one; the caller has checked the membership."""
    request.session[SESSION_KEY] = organization_id


def current_membership(request: HttpRequest) -> Membership | None:
    """Return the membership of the chosen organization, otherwise the oldest, otherwise None."""
    memberships = memberships_of(request)
    if not memberships:
        return None
    # The session may be outdated: the membership may have ended since.
    chosen = request.session.get(SESSION_KEY)
    for membership in memberships:
        if membership.organization_id == chosen:
            return membership
    return memberships[0]
