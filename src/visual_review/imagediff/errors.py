"""Why an image cannot be read; messages are for the person who sent the image."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Literal

Side = Literal["before", "after"]


class ImageError(Exception):
    """The bytes are not a supported image; the message names the problem.

    ``side`` is the image of a comparison, None where only one was read.
    """

    side: Side | None = None


class NotPngError(ImageError):
    """The bytes are not a PNG."""


class BrokenImageError(ImageError):
    """The PNG is damaged, truncated or contradicts its header."""


class ImageTooLargeError(ImageError):
    """The image, or the size in its header, exceeds the limits."""


@contextmanager
def naming_side(side: Side) -> Iterator[None]:
    """Name the image of a pair in errors about the image."""
    try:
        yield
    except ImageError as error:
        error.side = side
        raise
