"""Adapts allauth: sign-up is closed, and sign-ins and password changes are audited."""

from typing import Any

from allauth.account.adapter import DefaultAccountAdapter
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.urls import reverse

from visual_review.accounts import sessions
from visual_review.accounts.models import User


class AccountAdapter(DefaultAccountAdapter):  # type: ignore[misc] # allauth has no types.
    def is_open_for_signup(self, request: HttpRequest) -> bool:
        """Return False: accounts are created by an invitation or the setup link."""
        _ = request
        return False

    def post_login(self, request: HttpRequest, user: User, **details: Any) -> HttpResponse:  # noqa: ANN401 - As allauth has it.
        response: HttpResponse = super().post_login(request, user, **details)
        sessions.record_sign_in(user)
        return response

    def authentication_failed(self, request: HttpRequest, **credentials: Any) -> None:  # noqa: ANN401 - As allauth has it.
        super().authentication_failed(request, **credentials)
        sessions.record_failed_sign_in(str(credentials.get("email", "")))

    def set_password(self, user: User, password: str) -> None:
        with transaction.atomic():
            super().set_password(user, password)
            # A person who resets a forgotten password is not signed in.
            is_signed_in = self.request.user.is_authenticated
            sessions.record_password_change(user, "changed" if is_signed_in else "reset")

    def get_password_change_redirect_url(self, request: HttpRequest) -> str:
        _ = request
        return reverse("account")
