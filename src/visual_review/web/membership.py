"""Which organization a signed-in person works in; kept in the session, checked at every request."""

from django.http import HttpRequest

from visual_review.accounts.models import Membership, User

SESSION_KEY = "organization_id"
_MEMORY = "_visual_review_memberships"


def memberships_of(request: HttpRequest) -> list[Membership]:
    """The person's memberships, oldest first; none for a stranger. Read once per request."""
    # A request refused early, for its Host say, has an error page but no user yet.
    user = getattr(request, "user", None)
    if not isinstance(user, User):
        return []
    # Header, permissions and view all ask, and each would cost a query.
    known: list[Membership] | None = getattr(request, _MEMORY, None)
    if known is None:
        rows = Membership.objects.filter(user=user).select_related("organization")
        known = list(rows.order_by("created_at", "id"))
        setattr(request, _MEMORY, known)
    return known


def current_membership(request: HttpRequest) -> Membership | None:
    """The chosen organization's membership, else the oldest, else None."""
    memberships = memberships_of(request)
    if not memberships:
        return None
    # The session is only a wish: the membership may have ended since.
    chosen = request.session.get(SESSION_KEY)
    for membership in memberships:
        if membership.organization_id == chosen:
            return membership
    return memberships[0]
