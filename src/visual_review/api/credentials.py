"""The bearer credential of a request, and the limit of wrong ones."""

import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from visual_review.kernel.client_address import client_network
from visual_review.kernel.errors import TooManyAttemptsError, UnauthenticatedError
from visual_review.kernel.failure_counter import FailureCounter

SCHEME = "bearer"
# A build farm whose key was revoked stays below this; all processes together allow more.
WRONG_CREDENTIALS = FailureCounter(limit=100, seconds=60, most=10_000)
TOO_MANY_WRONG = (
    "The credential is not valid, like many others sent from this network in the last minute. "
    "A valid one is still accepted."
)


def bearer_of(headers: Mapping[str, str], error_message: str) -> str:
    """Return the credential after ``Authorization: Bearer``.

    Raises UnauthenticatedError with ``error_message``.
    """
    scheme, _, credential = headers.get("Authorization", "").partition(" ")
    # Names of schemes are case-insensitive (RFC 9110, 11.1).
    if scheme.lower() != SCHEME or not credential.strip():
        raise UnauthenticatedError(error_message)
    return credential.strip()


@contextmanager
def wrong_credentials_limited(address: str) -> Iterator[None]:
    """Raise TooManyAttemptsError for a wrong credential beyond the limit of the client's network.

    The credential is always checked first: a right one is never refused for wrong ones.
    """
    try:
        yield
    except UnauthenticatedError as error:
        wait = WRONG_CREDENTIALS.record(client_network(address), time.monotonic())
        if wait:
            raise TooManyAttemptsError(wait, TOO_MANY_WRONG) from error
        raise
