"""Asking the connected source host within a call: its answers, and its failures in our words."""

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
from visual_review.hosts.factory import CREDENTIAL_FIELDS, granted_url, open_host
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
LONGEST_SECRET = 10_000
Credentials = dict[
    Annotated[str, Field(max_length=40)], Annotated[str, Field(max_length=LONGEST_SECRET)]
]


@contextmanager
def host_of(account: HostAccount) -> Iterator[Host]:
    """The host of a connected account; what it refuses becomes an error of ``kernel.errors``.

    Refusals are told to the caller and not noted at the account: what is refused for one
    repository says nothing of the others. Jobs note them, since they have nobody to tell.
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
        raise told(error, account.address) from error


@dataclass(frozen=True)
class Accepted:
    """``address`` as the operator wrote it; ``name`` is whom the host takes us for."""

    address: str
    name: str


def accepted(kind: str, address: str, credentials: Mapping[str, str]) -> Accepted:
    """What the host says to credentials that are not stored yet; raises what ``host_of`` raises.

    Credentials that the host refuses are an InvalidInputError, since they were just given.
    """
    try:
        _require_known_fields(kind, credentials)
        host = open_host(kind, address, credentials)
        try:
            return Accepted(granted_url(address), host.identity().name)
        finally:
            host.close()
    except HostAccessError as error:
        fault = f"The source host does not accept this: {error}"
        raise InvalidInputError(fault, [("/credentials", fault)]) from error
    except HostNotAllowedError as error:
        raise InvalidInputError(str(error), [("/address", str(error))]) from error
    except HostError as error:
        raise told(error, address) from error


def _require_known_fields(kind: str, credentials: Mapping[str, str]) -> None:
    # What is stored must be what the host asks for: nobody would ever delete the rest.
    if set(credentials) not in [set(fields) for fields in CREDENTIAL_FIELDS.get(kind, ())]:
        raise HostAccessError(
            "The credentials must be "
            + ", or ".join(" and ".join(fields) for fields in CREDENTIAL_FIELDS.get(kind, ()))
            + "."
        )


def told(error: HostError, address: str) -> VisualReviewError:
    """What a caller is told of a host's failure; the one place where these meet."""
    if isinstance(error, HostBusyError):
        later = f" It asked to come again at {error.until:%H:%M} UTC." if error.until else ""
        return UnavailableError(
            f"The source host {address} does not answer now: {error}{later} Nothing was changed; "
            "try again later."
        )
    if isinstance(error, HostResponseError):
        return UnavailableError(
            f"The source host {address} answered what it should not: {error} Nothing was changed."
        )
    if isinstance(error, HostAccessError):
        return ConflictError(
            f"The source host {address} refuses the account: {error} Renew its credentials in the "
            "settings under 'Source host'."
        )
    if isinstance(error, HostMissingError):
        return ConflictError(f"The source host {address} has no such thing for us: {error}")
    return ConflictError(str(error))
