"""Absolute URLs of pages, for links in mails and messages."""

from allauth.account.forms import default_token_generator
from django.conf import settings
from django.urls import reverse

from visual_review.accounts.models import User


def setup_link(secret: str) -> str:
    return _make_absolute("setup", secret)


def invitation_link(secret: str) -> str:
    return _make_absolute("invitation", secret)


def password_token(user: User) -> str:
    """Create a token for one use within 24 hours and before the next sign-in; never stored.

    The signature covers the password hash and the last sign-in, as in Django.
    """
    token: str = default_token_generator.make_token(user)
    return token


def password_link(user_id: str, token: str) -> str:
    return _make_absolute("account_reset_password_from_key", user_id, token)


def access_link() -> str:
    """Return the URL of the page with a person's keys and apps."""
    return _make_absolute("own_access")


def forgotten_password_link() -> str:
    return _make_absolute("account_reset_password")


def _make_absolute(name: str, *parts: str) -> str:
    return f"{settings.PUBLIC_URL}{reverse(name, args=parts)}"
