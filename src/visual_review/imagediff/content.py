"""Whether two images show the same content, however large the page around the content is."""

from typing import cast

from PIL import Image, ImageChops

from visual_review.imagediff.engine import engine
from visual_review.imagediff.model import DEFAULT_LIMITS, Limits


def has_same_content(first: bytes, second: bytes, limits: Limits = DEFAULT_LIMITS) -> bool:
    """Whether two PNG files show the same once the empty space around the content is cropped.

    Empty means the color of the top left pixel. A component on a merely wider page is the same, a
    component with another layout is not. Raises ImageError.
    """
    one, other = _read_content(first, limits), _read_content(second, limits)
    if one is None or other is None:
        # An empty image shows nothing at any width, so any two empty images are equal.
        return one is other
    return one.size == other.size and one.tobytes() == other.tobytes()


def _read_content(data: bytes, limits: Limits) -> Image.Image | None:
    decoded = engine().decode(data, limits)
    size = decoded.width, decoded.height
    image = Image.frombuffer("RGBA", size, cast("bytes", decoded.pixels), "raw", "RGBA", 0, 1)
    empty = Image.new("RGBA", size, image.getpixel((0, 0)))
    box = ImageChops.difference(image, empty).getbbox(alpha_only=False)
    return image.crop(box) if box else None
