"""The memory that this process may use at once to read images of any size."""

from functools import cache

from django.conf import settings

from visual_review.builds.models import Image
from visual_review.kernel.memory_budget import MemoryBudget


@cache
def image_memory() -> MemoryBudget:
    """Return the budget that all threads of this process share."""
    return MemoryBudget(settings.IMAGE_MEMORY_BYTES)


def size_of(image: Image) -> tuple[int, int]:
    return image.width, image.height
