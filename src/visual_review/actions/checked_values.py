"""Checks of the domain as validators, so that their problems are reported with all others."""

from collections.abc import Callable

from pydantic import AfterValidator

from visual_review.kernel.errors import InvalidInputError


def checked(check: Callable[[str], str], *, allow_empty: bool = False) -> AfterValidator:
    """Return ``check``, which raises InvalidInputError with one problem, as a validator."""

    def validate(text: str) -> str:
        # A script may send an empty string for an unknown value.
        if allow_empty and not text:
            return text
        try:
            return check(text)
        except InvalidInputError as error:
            raise ValueError(error.problems[0][1]) from error

    return AfterValidator(validate)
