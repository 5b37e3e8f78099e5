"""Adapts allauth: sign-up is closed, and sign-ins and password changes are audited."""

import unicodedata
from typing import Any

from allauth.account.adapter import DefaultAccountAdapter
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.urls import reverse

from visual_review.accounts import sessions
from visual_review.accounts.client_address import client_network
from visual_review.accounts.models import User
from visual_review.kernel.metrics import SIGN_INS_REFUSED
from visual_review.web.membership import note_sign_in
from visual_review.web.reauthentication import is_confirmed

TOO_MANY_ATTEMPTS = "too_many_login_attempts"


class AccountAdapter(DefaultAccountAdapter):  # type: ignore[misc] # allauth has no types.
    def is_open_for_signup(self, request: HttpRequest) -> bool:
        """Return False: accounts are created by an invitation or the setup link."""
        _ = request
        return False

    def post_login(self, request: HttpRequest, user: User, **details: Any) -> HttpResponse:  # noqa: ANN401 - As allauth has it.
        response: HttpResponse = super().post_login(request, user, **details)
        sessions.record_sign_in(user)
        note_sign_in(request)
        return response

    def get_client_ip(self, request: HttpRequest) -> str:
        """Return the network of the client behind our own list of proxies."""
        return client_network(request.META.get("REMOTE_ADDR", ""))

    def _get_login_attempts_cache_key(self, request: HttpRequest, **credentials: Any) -> str:  # noqa: ANN401 - As allauth has it.
        # By account and network: with allauth's key, the account alone, anyone could block an
        # account.
        return f"{account_name(str(credentials.get('email', '')))} {self.get_client_ip(request)}"

    def authentication_failed(self, request: HttpRequest, **credentials: Any) -> None:  # noqa: ANN401 - As allauth has it.
        super().authentication_failed(request, **credentials)
        SIGN_INS_REFUSED.labels("password").inc()
        sessions.record_failed_sign_in(str(credentials.get("email", "")))

    def set_password(self, user: User, password: str) -> None:
        with transaction.atomic():
            super().set_password(user, password)
            # A person who resets a forgotten password is not signed in.
            is_signed_in = self.request.user.is_authenticated
            sessions.record_password_change(user, "changed" if is_signed_in else "reset")

    def is_reauthentication_required(self, *, app: str, **more: Any) -> bool:  # noqa: ANN401 - As allauth has it.
        """Return whether the last proof is older than a quarter of an hour, the sign-in included."""
        _ = app, more
        return not is_confirmed(self.request)

    def get_password_change_redirect_url(self, request: HttpRequest) -> str:
        # Asked once the password has changed; without keys and apps there is nothing to ask.
        due = isinstance(request.user, User) and request.user.access_review_due
        return reverse("own_access" if due else "account")


def account_name(email: str) -> str:
    """Return one name for all spellings of an e-mail address.

    Look-ups ignore case in their own ways. A look-up finding an account under more spellings than
    are counted together would give a guesser as many more attempts.
    """
    return unicodedata.normalize("NFKC", email.strip()).upper().lower()
