"""Why an upload fails; every message says what to do."""

from http import HTTPStatus


class PublishError(Exception):
    """Publishing failed; the message is for the reader of the CI log."""


class InputError(PublishError):
    """The input cannot be published; nothing was uploaded."""


class ServiceError(PublishError):
    """The service was unreachable or reported an error, with the response's ``status`` if any."""

    def __init__(self, message: str, status: int | None = None) -> None:
        super().__init__(message)
        self.status = status


class ConflictError(ServiceError):
    """The upload is not complete yet; ``missing`` names what is missing."""

    def __init__(self, message: str, missing: tuple[str, ...] = ()) -> None:
        super().__init__(message, HTTPStatus.CONFLICT)
        self.missing = missing


class UploadUrlError(ServiceError):
    """The signed URL is invalid or has expired; announcing again gives a new one."""
