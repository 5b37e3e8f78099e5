"""Errors of Git providers, separated by their remedy."""

from datetime import datetime

from visual_review.kernel.errors import VisualReviewError


class HostError(VisualReviewError):
    """Base class: a call to the Git provider failed; the message is written for people."""


class HostAccessError(HostError):
    """The provider rejects the credentials, or they lack a permission. A person must act."""


class HostMissingError(HostError):
    """The resource does not exist, or not for the credentials used. Waiting does not help."""


class HostBusyError(HostError):
    """The provider is down, slow, failing or limits the rate: the same call may work later.

    ``until`` is when the provider allows the next call; None if unknown.
    """

    def __init__(self, message: str, until: datetime | None = None) -> None:
        super().__init__(message)
        self.until = until


class HostResponseError(HostError):
    """The response does not match the provider's API, for example a page of HTML."""


class HostDeclinedError(HostResponseError):
    """The provider understood the request and rejected it with the HTTP status ``status``."""

    def __init__(self, message: str, status: int) -> None:
        super().__init__(message)
        self.status = status


class HostNotAllowedError(HostError):
    """The operator has not allowed the service to call the URL."""


class SignatureInvalidError(HostError):
    """A delivery is not signed with the secret of its webhook."""
