"""The forms of allauth without placeholders: every field here has a label of its own."""

from typing import Any

from allauth.account import forms as allauth


class _WithoutPlaceholders:
    fields: dict[str, Any]

    def __init__(self, *args: Any, **kwargs: Any) -> None:  # noqa: ANN401 - As allauth has it.
        super().__init__(*args, **kwargs)
        for field in self.fields.values():
            field.widget.attrs.pop("placeholder", None)


class SignInForm(_WithoutPlaceholders, allauth.LoginForm):  # type: ignore[misc] # allauth has no types.
    pass


class ForgottenForm(_WithoutPlaceholders, allauth.ResetPasswordForm):  # type: ignore[misc]
    pass


class ResetForm(_WithoutPlaceholders, allauth.ResetPasswordKeyForm):  # type: ignore[misc]
    pass


class ChangeForm(_WithoutPlaceholders, allauth.ChangePasswordForm):  # type: ignore[misc]
    pass
