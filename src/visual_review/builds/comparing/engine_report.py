"""The engine for comparing screenshots of builds, for the log of a worker."""

from visual_review.imagediff.engine import EngineError, describe_engine


class EngineUnavailableError(Exception):
    """The engine required by the environment is missing; the message says why."""


def describe_comparison() -> str:
    """Return a line for the log. Raises EngineUnavailableError."""
    try:
        return f"images are compared with the engine {describe_engine()}"
    except EngineError as error:
        raise EngineUnavailableError(str(error)) from error
