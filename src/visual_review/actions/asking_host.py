"""Asking the connected source host within a call: its answers, and its failures in our words."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from visual_review.hosts.errors import (
    HostAnswerError,
    HostBusyError,
    HostError,
    HostMissingError,
    HostRefusedError,
)
from visual_review.hosts.opening import open_host
from visual_review.hosts.port import Host
from visual_review.kernel.errors import (
    ConflictError,
    UnavailableError,
    VisualReviewError,
)
from visual_review.kernel.sealing import SealBrokenError
from visual_review.repositories.host_accounts import credentials_of
from visual_review.repositories.models import HostAccount


@contextmanager
def host_of(account: HostAccount) -> Iterator[Host]:
    """The host of a connected account; what it refuses becomes an error of ``kernel.errors``."""
    try:
        credentials = credentials_of(account)
    except SealBrokenError as error:
        raise ConflictError(str(error)) from error
    with host_at(account.kind, account.address, credentials) as host:
        yield host


@contextmanager
def host_at(kind: str, address: str, credentials: Mapping[str, str]) -> Iterator[Host]:
    """As ``host_of``, for credentials that are not stored yet."""
    try:
        host = open_host(kind, address, credentials)
        try:
            yield host
        finally:
            host.close()
    except HostError as error:
        raise told(error, address) from error


def told(error: HostError, address: str) -> VisualReviewError:
    """What a caller is told of a host's failure; the one place where these meet."""
    if isinstance(error, HostBusyError):
        later = f" It asked to come again at {error.until:%H:%M} UTC." if error.until else ""
        return UnavailableError(
            f"The source host {address} does not answer now: {error}{later} Nothing was changed; "
            "try again later."
        )
    if isinstance(error, HostAnswerError):
        return UnavailableError(
            f"The source host {address} answered what it should not: {error} Nothing was changed."
        )
    if isinstance(error, HostRefusedError):
        return ConflictError(
            f"The source host {address} refuses the account: {error} Renew its credentials in the "
            "settings under 'Source host'."
        )
    if isinstance(error, HostMissingError):
        return ConflictError(f"The source host {address} has no such thing for us: {error}")
    return ConflictError(str(error))
