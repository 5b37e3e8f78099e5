"""Signs in a person who just created an account or joined through a link."""

from django.contrib.auth import login
from django.http import HttpRequest

from visual_review.accounts import sessions
from visual_review.accounts.models import User
from visual_review.web.membership import SESSION_KEY

_BACKEND = "allauth.account.auth_backends.AuthenticationBackend"


def start_session(request: HttpRequest, user: User, organization_id: str) -> None:
    """Start a session of ``user`` in that organization."""
    # Django gives the session a new key here, which prevents session fixation.
    login(request, user, backend=_BACKEND)
    request.session[SESSION_KEY] = organization_id
    sessions.record_sign_in(user)
