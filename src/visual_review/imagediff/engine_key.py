"""What a cached verdict must name of the engine that computed it."""

from typing import Final

from visual_review.imagediff.model import ENGINE_VERSION

ENGINE_NAME: Final = "numpy"


def engine_key() -> str:
    """Return the name and version of the engine: both have the same verdicts, but other files."""
    return f"{ENGINE_NAME} {ENGINE_VERSION}"
