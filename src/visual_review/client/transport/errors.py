"""Why an upload fails; every message names the next step."""

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
    """The upload is not complete yet; ``missing`` names the missing parts."""

    def __init__(self, message: str, missing: tuple[str, ...] = ()) -> None:
        super().__init__(message, HTTPStatus.CONFLICT)
        self.missing = missing


class UploadUrlError(ServiceError):
    """The signed URL is invalid or has expired; announcing again gives a new one."""


class expect_schema:  # noqa: N801 - Reads as a with-statement.
    """Turns the errors of an unexpected schema into one error with the name of the document."""

    def __init__(self, what: str) -> None:
        self._what = what

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if isinstance(error, (KeyError, TypeError, ValueError, AttributeError)):
            raise ServiceError(
                f"The server's {self._what} could not be read ({error!r}). Do server and client "
                "have the same version?"
            ) from error
