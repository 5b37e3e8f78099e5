"""Errors with a message for the caller; only the endpoints map errors to status codes."""

# Longer times are given in minutes, and from here on in hours.
SECONDS_SHOWN = 90
MINUTES_SHOWN = 120


class VisualReviewError(Exception):
    """Base class of errors whose message may be shown to the caller."""


class InvalidInputError(VisualReviewError):
    """The input is invalid; ``problems`` lists each problem as (JSON pointer, message).

    ``summary`` says what is invalid, for readers of the whole list; the message names only a few
    problems.
    """

    def __init__(
        self, message: str, problems: list[tuple[str, str]] | None = None, summary: str = ""
    ) -> None:
        super().__init__(message)
        self.problems = problems or []
        self.summary = summary or message


class UnauthenticatedError(VisualReviewError):
    """The credential identifies no caller."""


class ForbiddenError(VisualReviewError):
    """The caller is known but lacks the permission."""


class NotFoundError(VisualReviewError):
    """Nothing with the ID exists for this caller; ``problems`` as in InvalidInputError."""

    def __init__(self, message: str, problems: list[tuple[str, str]] | None = None) -> None:
        super().__init__(message)
        self.problems = problems or []


class ConflictError(VisualReviewError):
    """The current state does not allow the operation; the message says what to do."""


class TooLargeError(VisualReviewError):
    """The input is larger than the service accepts."""


class TooManyAttemptsError(VisualReviewError):
    """The next attempt is possible in ``retry_after`` seconds."""

    def __init__(self, retry_after: int, reason: str = "Too many attempts failed.") -> None:
        self.retry_after = retry_after
        super().__init__(f"{reason} Try again in {duration_text(retry_after)}.")


class UnavailableError(VisualReviewError):
    """A dependency (storage, disk, database) is not available now."""


class StorageFullError(UnavailableError):
    """The disk is full; the message says how to free space."""


def describe_last_error(error: Exception) -> str:
    """Return a sentence for users: messages of other errors than ours may reveal internals."""
    if isinstance(error, VisualReviewError):
        return str(error)
    return f"The last error was {type(error).__name__}; see the service's log for details."


def duration_text(seconds: int) -> str:
    """Return the time to wait in words, such as ``8 seconds``, ``5 minutes`` or ``3 hours``."""
    if seconds > MINUTES_SHOWN * 60:
        return f"{-(-seconds // 3600)} hours"
    if seconds > SECONDS_SHOWN:
        return f"{-(-seconds // 60)} minutes"
    return f"{seconds} second{'' if seconds == 1 else 's'}"
