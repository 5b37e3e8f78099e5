"""What pictures a screenshot has: before, after and the difference, and why one is missing."""

from dataclasses import dataclass
from typing import Literal

from visual_review.builds.images.keys import diff_image_key, image_key
from visual_review.builds.models import Image, Screenshot
from visual_review.kernel.errors import NotFoundError

SingleSide = Literal["before", "after", "diff"]


@dataclass(frozen=True)
class Source:
    """A stored PNG: where it lies, and its size in pixels."""

    key: str
    width: int
    height: int


def sides_of(shot: Screenshot) -> dict[SingleSide, Source]:
    """The pictures there are."""
    found: dict[SingleSide, Source] = {}
    before, after, comparison = shot.baseline_image, shot.image, shot.comparison
    if before is not None:
        found["before"] = _image(before)
    if after is not None:
        found["after"] = _image(after)
    if before is not None and after is not None and comparison and comparison.has_picture:
        width, height = max(before.width, after.width), max(before.height, after.height)
        found["diff"] = Source(diff_image_key(comparison), width, height)
    return found


def side_of(shot: Screenshot, side: SingleSide) -> Source:
    """The picture of this side; raises NotFoundError that says why there is none."""
    source = sides_of(shot).get(side)
    if source is None:
        raise NotFoundError(absence(shot, side))
    return source


def absence(shot: Screenshot, side: SingleSide) -> str:
    """Why a screenshot lacks this side, and what to ask for instead."""
    missing = f"This screenshot has no '{side}' picture"
    match side, shot.diff_state:
        case _, "pending":
            return f"{missing}: its build is not compared yet. Ask again in a moment."
        case "after", "failed":
            return f"{missing}: its capture failed. {shot.message}"
        case "after", _:
            return f"{missing}: the story was removed. Ask for 'before' or 'composite'."
        case "before", _:
            return f"{missing}: its baseline has none. Ask for 'after' or 'composite'."
    return (
        f"{missing}: only changed screenshots have one, and this one is {shot.diff_state}. "
        "Ask for 'composite'."
    )


def _image(image: Image) -> Source:
    return Source(image_key(image), image.width, image.height)
