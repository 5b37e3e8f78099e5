"""The current organization of a signed-in person; stored in the session, always checked."""

from django.http import HttpRequest

from visual_review.accounts.models import Membership, User
from visual_review.accounts.single_sign_on.rules import may_use

SESSION_KEY = "organization_id"
# Set in a session opened by a sign-in provider: the provider's organization.
PROVIDER_ORGANIZATION = "provider_organization_id"
_CACHE = "_visual_review_memberships"


def memberships_of(request: HttpRequest) -> list[Membership]:
    """Return the memberships usable in this session, oldest first. Read once per request."""
    return [each for each in _all_memberships(request) if _is_usable(request, each)]


def closed_memberships(request: HttpRequest) -> list[Membership]:
    """Return the memberships that need another way to sign in than this session's."""
    return [each for each in _all_memberships(request) if not _is_usable(request, each)]


def _is_usable(request: HttpRequest, membership: Membership) -> bool:
    return may_use(
        membership.organization_id,
        membership.user_id,
        membership.organization.password_owner_id,
        request.session.get(PROVIDER_ORGANIZATION),
    )


def _all_memberships(request: HttpRequest) -> list[Membership]:
    # A request rejected early, for example for its Host, has an error page but no user yet.
    user = getattr(request, "user", None)
    if not isinstance(user, User):
        return []
    # The header, the permissions and the view all need the memberships, and each would make a
    # query.
    cached: list[Membership] | None = getattr(request, _CACHE, None)
    if cached is None:
        rows = Membership.objects.filter(user=user).select_related("organization")
        cached = list(rows.order_by("created_at", "id"))
        setattr(request, _CACHE, cached)
    return cached


def usable_organizations(request: HttpRequest) -> set[str]:
    """Return the ids of the organizations usable in this session."""
    return {each.organization_id for each in memberships_of(request)}


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
