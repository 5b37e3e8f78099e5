"""The places of a screenshot a reviewer has to look at, and the places visible in an image."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from visual_review.builds.images.stored_changes import boxes_of, changes_of
from visual_review.builds.models import Screenshot
from visual_review.imagediff import Box
from visual_review.imagediff.rendering.outline_choice import contains

# In pixels of the screenshot: a larger area is looked at in several images, place by place.
LONGEST_SIDE: Final = 512
# Pixels shown per pixel of the screenshot; about the smallest scale of the service's own sheets.
SMALLEST_SCALE: Final = 0.33


def places_of(shot: Screenshot) -> list[Box]:
    """Return the changed, faint and moved areas, in parts; without any, all of the image.

    The screenshot has its images and its comparison loaded.
    """
    areas = [change.box for change in changes_of(shot.comparison)] or boxes_of(shot.comparison)
    image = shot.image or shot.baseline_image
    if not areas and image is not None:
        areas = [Box(0, 0, image.width, image.height)]
    return list(dict.fromkeys(part for area in areas for part in split(area)))


def split(area: Box) -> Iterator[Box]:
    """Yield parts that cover the area, none with a side of more than ``LONGEST_SIDE`` pixels."""
    for y in range(area.y, area.y + area.height, LONGEST_SIDE):
        for x in range(area.x, area.x + area.width, LONGEST_SIDE):
            yield Box(
                x,
                y,
                min(LONGEST_SIDE, area.x + area.width - x),
                min(LONGEST_SIDE, area.y + area.height - y),
            )


def find_visible(places: Sequence[Box], shown: Iterable[Box], scale: float) -> list[int]:
    """Return the positions of the places inside one of the shown rectangles."""
    if scale < SMALLEST_SCALE:
        return []
    rectangles = list(shown)
    return [
        position
        for position, place in enumerate(places)
        if any(contains(rectangle, place) for rectangle in rectangles)
    ]
