"""The bearer credential of a request."""

from collections.abc import Mapping

from visual_review.kernel.errors import UnauthenticatedError

SCHEME = "bearer"


def bearer_of(headers: Mapping[str, str], refusal: str) -> str:
    """The text after ``Authorization: Bearer``; raises UnauthenticatedError with ``refusal``."""
    scheme, _, credential = headers.get("Authorization", "").partition(" ")
    # Names of schemes are compared without regard to case (RFC 9110, 11.1).
    if scheme.lower() != SCHEME or not credential.strip():
        raise UnauthenticatedError(refusal)
    return credential.strip()
