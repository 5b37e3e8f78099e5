"""The memory of this process for reading images of any size at once."""

from functools import cache

from django.conf import settings

from visual_review.builds.images.shared_budget import SharedBudget
from visual_review.builds.models import Image


@cache
def image_memory() -> SharedBudget:
    """Return the budget in bytes, shared by all threads of this process."""
    return SharedBudget(
        settings.IMAGE_MEMORY_BYTES, "The server is busy reading images. Try again in a moment."
    )


def size_of(image: Image) -> tuple[int, int]:
    return image.width, image.height
