"""Errors that carry a message for the caller; only the doors turn them into status numbers."""


class VisualReviewError(Exception):
    """Base of every error whose text may be shown to the caller as it is."""


class InvalidInputError(VisualReviewError):
    """The input is wrong; ``problems`` lists each fault as (JSON pointer, message)."""

    def __init__(self, message: str, problems: list[tuple[str, str]] | None = None) -> None:
        super().__init__(message)
        self.problems = problems or []


class UnauthenticatedError(VisualReviewError):
    """No caller could be told from the credential."""


class ForbiddenError(VisualReviewError):
    """The caller is known but lacks the permission."""


class NotFoundError(VisualReviewError):
    """Nothing of that id exists for this caller."""


class ConflictError(VisualReviewError):
    """The state of things does not allow this now; the message says what to do."""


class TooLargeError(VisualReviewError):
    """The input is larger than the service accepts."""


class UnavailableError(VisualReviewError):
    """A part the service needs (storage, disk, database) does not work right now."""


class StorageFullError(UnavailableError):
    """No room is left to store anything; the message says how to make some."""
