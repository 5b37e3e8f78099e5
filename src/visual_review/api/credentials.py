"""The bearer credential of a request."""

from collections.abc import Mapping

from visual_review.kernel.errors import UnauthenticatedError

SCHEME = "bearer"


def bearer_of(headers: Mapping[str, str], error_message: str) -> str:
    """Return the credential after ``Authorization: Bearer``.

    Raises UnauthenticatedError with ``error_message``.
    """
    scheme, _, credential = headers.get("Authorization", "").partition(" ")
    # Names of schemes are case-insensitive (RFC 9110, 11.1).
    if scheme.lower() != SCHEME or not credential.strip():
        raise UnauthenticatedError(error_message)
    return credential.strip()
