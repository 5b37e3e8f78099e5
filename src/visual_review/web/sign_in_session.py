"""Signs in a person who came through a link or a sign-in provider, and notes the browser."""

from allauth.account.internal.flows.login import record_authentication
from django.contrib.auth import login
from django.http import HttpRequest

from visual_review.accounts import sessions
from visual_review.accounts.client_address import client_network
from visual_review.accounts.models import Identity, User
from visual_review.kernel.clock import now, rfc3339
from visual_review.web.membership import PROVIDER_ORGANIZATION, SESSION_KEY
from visual_review.web.session_store import SIGN_IN

BROWSER_LENGTH = 300
_BACKEND = "allauth.account.auth_backends.AuthenticationBackend"


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
