"""Adapts allauth: sign-up is closed, and sign-ins and password changes are audited."""

from typing import Any

from allauth.account.adapter import DefaultAccountAdapter
from django.core.exceptions import ValidationError
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.urls import reverse

from visual_review.accounts import sessions
from visual_review.accounts.attempts import Origin, begin_sign_in, record_success
from visual_review.accounts.models import User
from visual_review.kernel.errors import TooManyAttemptsError
from visual_review.web.known_devices import origin_of, remember_device

TOO_MANY_ATTEMPTS = "too_many_login_attempts"


class AccountAdapter(DefaultAccountAdapter):  # type: ignore[misc] # allauth has no types.
    def is_open_for_signup(self, request: HttpRequest) -> bool:
        """Return False: accounts are created by an invitation or the setup link."""
        _ = request
        return False

    def post_login(self, request: HttpRequest, user: User, **details: Any) -> HttpResponse:  # noqa: ANN401 - As allauth has it.
        response: HttpResponse = super().post_login(request, user, **details)
        sessions.record_sign_in(user)
        remember_device(request, user.email)
        return response

    def pre_authenticate(self, request: HttpRequest, **credentials: Any) -> None:  # noqa: ANN401 - As allauth has it.
        """Count the attempt, in place of allauth's limits, which let anyone block an account."""
        try:
            begin_sign_in(_origin(request, credentials))
        except TooManyAttemptsError as error:
            details = {"seconds": error.retry_after}
            raise ValidationError(str(error), code=TOO_MANY_ATTEMPTS, params=details) from error

    def authenticate(self, request: HttpRequest, **credentials: Any) -> User | None:  # noqa: ANN401 - As allauth has it.
        user: User | None = super().authenticate(request, **credentials)
        if user is not None:
            record_success(_origin(request, credentials))
        return user

    def authentication_failed(self, request: HttpRequest, **credentials: Any) -> None:  # noqa: ANN401 - As allauth has it.
        super().authentication_failed(request, **credentials)
        sessions.record_failed_sign_in(str(credentials.get("email", "")))

    def set_password(self, user: User, password: str) -> None:
        with transaction.atomic():
            super().set_password(user, password)
            # A person who resets a forgotten password is not signed in.
            is_signed_in = self.request.user.is_authenticated
            sessions.record_password_change(user, "changed" if is_signed_in else "reset")
        # A link for a new password is the way in for someone whom an attack elsewhere delays.
        remember_device(self.request, user.email)

    def get_password_change_redirect_url(self, request: HttpRequest) -> str:
        # Asked once the password has changed; without keys and apps there is nothing to ask.
        due = isinstance(request.user, User) and request.user.access_review_due
        return reverse("own_access" if due else "account")


def _origin(request: HttpRequest, credentials: dict[str, Any]) -> Origin:
    return origin_of(request, str(credentials.get("email", "")))
