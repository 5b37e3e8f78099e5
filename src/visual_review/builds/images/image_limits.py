"""The largest images that this service accepts and compares, from its settings."""

from django.conf import settings

from visual_review.imagediff import Limits


def image_limits() -> Limits:
    return Limits(side=settings.IMAGE_MAX_SIDE, pixels=settings.IMAGE_MAX_PIXELS)
