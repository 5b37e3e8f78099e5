"""Why an image is not read; every message is written for whoever sent the image."""

from typing import Literal


class ImageError(Exception):
    """The bytes are not an image this package reads; the text says what is wrong with them.

    ``side`` tells which image of a comparison it is, None where only one was read.
    """

    side: Literal["before", "after"] | None = None


class NotPngError(ImageError):
    """The bytes are something else than a PNG."""


class BrokenImageError(ImageError):
    """The PNG is damaged, cut off or contradicts itself."""


class ImageTooLargeError(ImageError):
    """The image, or what its header promises, is beyond the limits."""
