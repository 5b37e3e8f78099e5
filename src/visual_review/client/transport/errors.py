"""Why sending ends early; every message says what to do."""

from http import HTTPStatus


class PublishError(Exception):
    """Nothing more can be published; the message is for whoever reads the CI log."""


class InputError(PublishError):
    """What was to be published cannot be, before anything was sent."""


class ServiceError(PublishError):
    """The service could not be reached, or refused; ``status`` is its answer's, where it gave one."""

    def __init__(self, message: str, status: int | None = None) -> None:
        super().__init__(message)
        self.status = status


class ConflictError(ServiceError):
    """What was sent is not ready for the call; ``missing`` names what is not yet there."""

    def __init__(self, message: str, missing: tuple[str, ...] = ()) -> None:
        super().__init__(message, HTTPStatus.CONFLICT)
        self.missing = missing


class UploadUrlError(ServiceError):
    """The signed address is not valid (any more); announcing again gives a new one."""
