"""Sessions: signing a person in, and their current organization, which is always checked."""

from allauth.account.internal.flows.login import record_authentication
from django.contrib.auth import login
from django.http import HttpRequest

from visual_review.accounts import sessions
from visual_review.accounts.client_address import client_network
from visual_review.accounts.models import Identity, Membership, User
from visual_review.accounts.single_sign_on.rules import may_use
from visual_review.kernel.clock import now, rfc3339
from visual_review.web.session_store import SIGN_IN

SESSION_KEY = "organization_id"
# Set in a session opened by a sign-in provider: the provider's organization.
PROVIDER_ORGANIZATION = "provider_organization_id"
_CACHE = "_visual_review_memberships"
BROWSER_LENGTH = 300
_BACKEND = "allauth.account.auth_backends.AuthenticationBackend"


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


def start_session(
    request: HttpRequest, user: User, organization_id: str, identity: Identity | None = None
) -> None:
    """Start a session of ``user`` in the organization, and in no other with an ``identity``."""
    # Django gives the session a new key here, preventing session fixation.
    login(request, user, backend=_BACKEND)
    request.session[SESSION_KEY] = organization_id
    if identity is not None:
        request.session[PROVIDER_ORGANIZATION] = organization_id
    note_sign_in(request, identity)
    record_authentication(request, user, "provider" if identity else "link")
    sessions.record_sign_in(user)


def note_sign_in(request: HttpRequest, identity: Identity | None = None) -> None:
    """Store the facts by which the person recognizes the session on the page of their sessions."""
    request.session[SIGN_IN] = {
        "at": rfc3339(now()),
        "browser": request.headers.get("User-Agent", "")[:BROWSER_LENGTH].replace("\0", ""),
        "network": client_network(request.META.get("REMOTE_ADDR", "")),
        "identity": identity.pk if identity else None,
    }
