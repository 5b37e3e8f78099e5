"""The largest images that this service accepts and compares, from its settings."""

from django.conf import settings

from visual_review.imagediff import Limits


def image_limits() -> Limits:
    return Limits(side=settings.IMAGE_MAX_SIDE, pixels=settings.IMAGE_MAX_PIXELS)


def explain_refused_size(width: int, height: int) -> str:
    """Return why an image of this size is not accepted; empty if it is."""
    limits = image_limits()
    if max(width, height) > limits.side:
        return f"the image is {width} x {height}; at most {limits.side} pixels a side are accepted"
    if width * height > limits.pixels:
        return f"the image is {width} x {height}; at most {limits.pixels} pixels are accepted"
    return ""
