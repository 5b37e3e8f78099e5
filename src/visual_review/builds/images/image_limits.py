"""The largest images accepted and compared by the service, from its settings."""

from django.conf import settings

from visual_review.imagediff import Limits


def image_limits() -> Limits:
    return Limits(side=settings.IMAGE_MAX_SIDE, pixels=settings.IMAGE_MAX_PIXELS)
