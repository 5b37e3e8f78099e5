"""Signing somebody in who just made an account or joined by a link."""

from django.contrib.auth import login
from django.http import HttpRequest

from visual_review.accounts import sessions
from visual_review.accounts.models import User
from visual_review.web.membership import SESSION_KEY

_BACKEND = "allauth.account.auth_backends.AuthenticationBackend"


def enter(request: HttpRequest, user: User, organization_id: str) -> None:
    """Begin a session of ``user``, working in that organization."""
    # Django gives the session a new key here, so one that was planted before is worth nothing.
    login(request, user, backend=_BACKEND)
    request.session[SESSION_KEY] = organization_id
    sessions.record_sign_in(user)
