"""What can go wrong with a source host, told apart by what helps."""

from datetime import datetime

from visual_review.kernel.errors import VisualReviewError


class HostError(VisualReviewError):
    """Base: something did not work with the source host; the message is for people."""


class HostAccessError(HostError):
    """The host does not accept the credentials, or they may not do this. A person must act."""


class HostMissingError(HostError):
    """What was asked for is not there, or not for these credentials. Waiting does not help."""


class HostBusyError(HostError):
    """The host is down, slow, failing or limits the rate: the same call may work later.

    ``until`` is when the host said to come again; None where it said nothing.
    """

    def __init__(self, message: str, until: datetime | None = None) -> None:
        super().__init__(message)
        self.until = until


class HostResponseError(HostError):
    """The host answered what its interface does not know, a page of HTML say."""


class HostDeclinedError(HostResponseError):
    """The host understood the request and does not take it; ``status`` is the answer's number."""

    def __init__(self, message: str, status: int) -> None:
        super().__init__(message)
        self.status = status


class HostNotAllowedError(HostError):
    """The service was not told that it may reach this address."""


class SignatureInvalidError(HostError):
    """A delivery is not signed with the secret we gave the host."""
