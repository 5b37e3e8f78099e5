"""Images of several screenshots requested together, all planned before rendering.

A model pays for each pixel, so plans come one after the other with their sizes, and a caller stops
before the first plan that costs too much.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Literal

from visual_review.builds.images.render_cache import CachedImage
from visual_review.builds.images.sides import SingleSide, explain_missing_side
from visual_review.builds.models import Screenshot
from visual_review.builds.states import FAILED
from visual_review.imagediff import Box
from visual_review.imagediff.rendering.thumbnails import read_size

Form = Literal["sheet", "composite", "whole", "before", "after", "diff"]
# How many pixels cost a model one token.
PIXELS_PER_TOKEN: Final = 750
CAPTURE_FAILED: Final = "This screenshot has no image: its capture or its comparison failed."


@dataclass(frozen=True)
class ShownScreenshot:
    """A screenshot's content in an image: ``note`` names the part, without texts of others.

    ``scale`` is pixels shown per pixel of the screenshot. ``complete`` says whether all changes are
    shown, except for moved content; ``sides`` are its visible sides, and ``parts`` the shown parts
    of the screenshot.
    """

    screenshot: Screenshot
    note: str
    scale: float
    complete: bool
    sides: tuple[SingleSide, ...]
    parts: tuple[Box, ...]


@dataclass(frozen=True)
class PlannedImage:
    """A plan of an image: its size in pixels, and its content."""

    form: Form
    width: int
    height: int
    shown: tuple[ShownScreenshot, ...]
    render: Callable[[], CachedImage]

    @property
    def tokens(self) -> int:
        return count_image_tokens(self.width, self.height)


@dataclass(frozen=True)
class RequestedImage:
    """A rendered image; ``shown`` has each screenshot on the image."""

    data: bytes
    media_type: str
    width: int
    height: int
    form: Form
    shown: tuple[ShownScreenshot, ...]

    @property
    def tokens(self) -> int:
        return count_image_tokens(self.width, self.height)


@dataclass(frozen=True)
class MissingImage:
    """A screenshot without the requested image, and why."""

    screenshot: Screenshot
    reason: str


def render_planned(planned: PlannedImage) -> RequestedImage:
    """Render an image, or return it from the cache; raises UnavailableError on failure."""
    cached = planned.render()
    width, height = read_size(cached.data)
    return RequestedImage(
        cached.data, cached.media_type, width, height, planned.form, planned.shown
    )


def count_image_tokens(width: int, height: int) -> int:
    """Return about how many tokens an image costs a model."""
    return -(-width * height // PIXELS_PER_TOKEN)


def explain_missing(shot: Screenshot, side: SingleSide) -> str:
    """Explain why a screenshot has no such image, without repeating texts of others."""
    return CAPTURE_FAILED if shot.diff_state == FAILED else explain_missing_side(shot, side)
