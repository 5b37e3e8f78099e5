"""Why sending ends early; every message says what to do."""


class PublishError(Exception):
    """Nothing more can be published; the message is for whoever reads the CI log."""


class InputError(PublishError):
    """What was to be published cannot be, before anything was sent."""


class ServiceError(PublishError):
    """The service could not be reached, or refused."""


class ConflictError(ServiceError):
    """What was sent is not ready for the call; ``missing`` are hashes of what is not yet there."""

    def __init__(self, message: str, missing: tuple[str, ...] = ()) -> None:
        super().__init__(message)
        self.missing = missing


class UploadAddressError(ServiceError):
    """The signed address is not valid (any more); announcing again gives a new one."""
