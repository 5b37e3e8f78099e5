"""Why an image is not read; every message is written for whoever sent the image."""


class ImageError(Exception):
    """The bytes are not an image this package reads; the text says what is wrong with them."""


class NotPngError(ImageError):
    """The bytes are something else than a PNG."""


class BrokenImageError(ImageError):
    """The PNG is damaged, cut off or contradicts itself."""


class ImageTooLargeError(ImageError):
    """The image, or what its header promises, is beyond the limits."""
