"""The forms of allauth without placeholders, since every field has its own label."""

from typing import Any

from allauth.account import forms as allauth
from django.http import HttpRequest

from visual_review.accounts.users import mail_password_link


class _WithoutPlaceholders:
    fields: dict[str, Any]

    def __init__(self, *args: Any, **kwargs: Any) -> None:  # noqa: ANN401 - As allauth has it.
        super().__init__(*args, **kwargs)
        for field in self.fields.values():
            field.widget.attrs.pop("placeholder", None)


class SignInForm(_WithoutPlaceholders, allauth.LoginForm):  # type: ignore[misc] # allauth has no types.
    pass


class ForgottenPasswordForm(_WithoutPlaceholders, allauth.ResetPasswordForm):  # type: ignore[misc]
    def save(self, request: HttpRequest, **options: Any) -> str:  # noqa: ANN401 - As allauth has it.
        """Let a job send the e-mail: the time for sending would reveal which accounts exist."""
        _ = request, options
        for user in self.users:
            mail_password_link(user.pk)
        return str(self.cleaned_data["email"])


class ResetForm(_WithoutPlaceholders, allauth.ResetPasswordKeyForm):  # type: ignore[misc]
    pass


class ChangeForm(_WithoutPlaceholders, allauth.ChangePasswordForm):  # type: ignore[misc]
    pass
