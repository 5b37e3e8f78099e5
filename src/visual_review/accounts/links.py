"""Complete addresses of pages that are handed on; the pages' addresses are known by name."""

from allauth.account.forms import default_token_generator
from django.conf import settings
from django.urls import reverse

from visual_review.accounts.models import User


def setup_link(secret: str) -> str:
    return _complete("setup", secret)


def invitation_link(secret: str) -> str:
    return _complete("invitation", secret)


def password_token(user: User) -> str:
    """Works once, for 24 hours, until the next sign-in; nothing of it is stored.

    It is signed over the password's hash and the last sign-in, as Django's own are.
    """
    token: str = default_token_generator.make_token(user)
    return token


def password_link(user_id: str, token: str) -> str:
    return _complete("account_reset_password_from_key", user_id, token)


def _complete(name: str, *parts: str) -> str:
    return f"{settings.PUBLIC_URL}{reverse(name, args=parts)}"
