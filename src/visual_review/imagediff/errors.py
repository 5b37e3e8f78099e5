"""Why an image cannot be read; messages are written for the person who sent it."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Literal

Side = Literal["before", "after"]


class ImageError(Exception):
    """The bytes are not a supported image; the message says what is wrong with them.

    ``side`` is the image of a comparison that it concerns, None where only one was read.
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
    """Say in errors about an image which one of a pair it is."""
    try:
        yield
    except ImageError as error:
        error.side = side
        raise
