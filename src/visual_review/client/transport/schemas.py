"""Responses that do not have the expected schema."""

from visual_review.client.transport.errors import ServiceError


class expect_schema:  # noqa: N801 - Reads as a with-statement.
    """Turns what an unexpected schema raises into one error that says what was being read."""

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
