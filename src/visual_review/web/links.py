"""Complete addresses of pages, for links that are handed on."""

from django.conf import settings
from django.urls import reverse


def invitation_link(secret: str) -> str:
    return _complete("invitation", secret)


def password_link(user_id: str, token: str) -> str:
    return _complete("account_reset_password_from_key", user_id, token)


def _complete(name: str, *parts: str) -> str:
    address = reverse(name, args=parts)
    return f"{settings.PUBLIC_URL}{address}"
