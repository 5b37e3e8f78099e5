"""Read stored images and changes for rendering: within limits, and with errors for users."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Final

from visual_review.builds.images.image_memory import image_memory
from visual_review.builds.images.sides import StoredImage
from visual_review.builds.models import Comparison
from visual_review.imagediff import DEFAULT_LIMITS, Box, ImageError, Limits
from visual_review.imagediff.changes.model import Change, change_from_json
from visual_review.imagediff.memory import rendering_memory
from visual_review.kernel.blobs import BlobMissingError, BlobStore
from visual_review.kernel.errors import UnavailableError

BYTES_OF_PIXEL: Final = 4
UNREADABLE: Final = "A stored image of this screenshot is missing or damaged. Publish again."


def boxes_of(comparison: Comparison | None) -> list[Box]:
    """Return the boxes around the different pixels."""
    return [] if comparison is None else [Box(**box) for box in comparison.boxes]


def changes_of(comparison: Comparison | None) -> list[Change]:
    """Return the changes, the worst first; nothing for a comparison of an earlier version."""
    return [] if comparison is None else [change_from_json(each) for each in comparison.changes]


class StoredImageError(UnavailableError):
    """A stored image is missing or damaged."""

    def __init__(self) -> None:
        super().__init__(UNREADABLE)


def read_stored(source: StoredImage, blobs: BlobStore) -> bytes:
    try:
        return blobs.get(source.key)
    except BlobMissingError as error:
        raise StoredImageError from error


@contextmanager
def reading_in_turn(
    organization_id: str, sources: Iterable[StoredImage], wait_seconds: float | None = None
) -> Iterator[None]:
    """Reserve the memory to read the images one after the other, and explain damaged images."""
    needed = max(rendering_memory((each.width, each.height)) for each in sources)
    try:
        with image_memory().reserve(organization_id, needed, wait_seconds):
            yield
    except ImageError as error:
        raise StoredImageError from error


def limits_of(sources: Sequence[StoredImage]) -> Limits:
    """Return limits for accepted images: a setting may have been lowered since."""
    pixels = max(each.width * each.height for each in sources)
    return Limits(
        # A difference full of noise takes more than its images.
        file_bytes=DEFAULT_LIMITS.file_bytes + BYTES_OF_PIXEL * pixels,
        side=max(max(each.width, each.height) for each in sources),
        pixels=pixels,
    )
