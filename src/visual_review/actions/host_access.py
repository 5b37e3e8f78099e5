"""Calls to the connected Git provider within an action, with the provider's errors translated."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Annotated

from pydantic import Field

from visual_review.hosts.errors import (
    HostAccessError,
    HostBusyError,
    HostError,
    HostMissingError,
    HostNotAllowedError,
    HostResponseError,
)
from visual_review.hosts.factory import HOST_KINDS, open_host, require_allowed_url
from visual_review.hosts.port import Host
from visual_review.kernel.encryption import DecryptionError
from visual_review.kernel.errors import (
    ConflictError,
    InvalidInputError,
    UnavailableError,
    VisualReviewError,
)
from visual_review.repositories.host_accounts import credentials_of
from visual_review.repositories.models import HostAccount

# An RSA key of 8192 bits has about 6,400 characters in PEM.
MAX_SECRET_LENGTH = 10_000
Credentials = dict[
    Annotated[str, Field(max_length=40)], Annotated[str, Field(max_length=MAX_SECRET_LENGTH)]
]


@contextmanager
def open_account_host(account: HostAccount) -> Iterator[Host]:
    """Open the host of a connected account; errors of the host become errors of ``kernel.errors``.

    Errors go to the caller and are not stored with the account: an error for one repository says
    nothing about the others. Jobs store errors, since a job has no caller.
    """
    try:
        credentials = credentials_of(account)
    except DecryptionError as error:
        raise ConflictError(str(error)) from error
    try:
        host = open_host(account.kind, account.address, credentials)
        try:
            yield host
        finally:
            host.close()
    except HostError as error:
        raise translate_host_error(error, account.address) from error


@dataclass(frozen=True)
class VerifiedAccount:
    """An account that the host accepted, with the URL from the settings and its name there."""

    address: str
    name: str


def verify_credentials(kind: str, address: str, credentials: Mapping[str, str]) -> VerifiedAccount:
    """Try credentials before storing them; raises the errors of ``open_account_host``.

    Credentials rejected by the host are an InvalidInputError, since they are the caller's input.
    """
    try:
        _require_known_fields(kind, credentials)
        host = open_host(kind, address, credentials)
        try:
            return VerifiedAccount(require_allowed_url(address), host.get_identity().name)
        finally:
            host.close()
    except HostAccessError as error:
        message = f"The Git provider does not accept the credentials: {error}"
        raise InvalidInputError(message, [("/credentials", message)]) from error
    except HostNotAllowedError as error:
        raise InvalidInputError(str(error), [("/address", str(error))]) from error
    except HostError as error:
        raise translate_host_error(error, address) from error


def _require_known_fields(kind: str, credentials: Mapping[str, str]) -> None:
    # Only the host's own fields are stored: nothing would ever use or delete others.
    choices = HOST_KINDS[kind].credentials if kind in HOST_KINDS else ()
    if set(credentials) not in [set(fields) for fields in choices]:
        raise HostAccessError(
            "The credentials must be "
            + ", or ".join(" and ".join(fields) for fields in choices)
            + "."
        )


def translate_host_error(error: HostError, address: str) -> VisualReviewError:
    """Return the caller's error for a host's error; no other code decides on the error."""
    if isinstance(error, HostBusyError):
        later = f" It asks to retry after {error.until:%H:%M} UTC." if error.until else ""
        return UnavailableError(
            f"{address} is not available: {error}{later} Nothing was changed; try again later."
        )
    if isinstance(error, HostResponseError):
        return UnavailableError(
            f"{address} sent an unexpected response: {error} Nothing was changed."
        )
    if isinstance(error, HostAccessError):
        return ConflictError(
            f"{address} rejects the connected account: {error} Renew its credentials in the "
            "settings under 'Git provider'."
        )
    if isinstance(error, HostMissingError):
        return ConflictError(f"{address} could not find what was requested: {error}")
    return ConflictError(str(error))
