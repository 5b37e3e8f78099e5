"""The images of a screenshot: before, after and difference, or why one is missing."""

from dataclasses import dataclass
from typing import Literal

from visual_review.builds import states
from visual_review.builds.images.blob_keys import diff_image_key, image_key
from visual_review.builds.models import Image, Screenshot
from visual_review.kernel.errors import NotFoundError

SingleSide = Literal["before", "after", "diff"]


@dataclass(frozen=True)
class StoredImage:
    """A stored PNG: its blob key, and its size in pixels."""

    key: str
    width: int
    height: int


def sides_of(shot: Screenshot) -> dict[SingleSide, StoredImage]:
    """Return the existing images."""
    found: dict[SingleSide, StoredImage] = {}
    before, after, comparison = shot.baseline_image, shot.image, shot.comparison
    if before is not None:
        found["before"] = stored_image(before)
    if after is not None:
        found["after"] = stored_image(after)
    if before is not None and after is not None and comparison and comparison.has_picture:
        width, height = max(before.width, after.width), max(before.height, after.height)
        found["diff"] = StoredImage(diff_image_key(comparison), width, height)
    return found


def side_of(shot: Screenshot, side: SingleSide) -> StoredImage:
    """Return the image of a side; raises NotFoundError with the reason if missing."""
    source = sides_of(shot).get(side)
    if source is None:
        raise NotFoundError(explain_missing_side(shot, side))
    return source


def explain_missing_side(shot: Screenshot, side: SingleSide) -> str:
    """Explain why a screenshot lacks a side, and name the image to request instead."""
    missing = f"This screenshot has no '{side}' image"
    match side, shot.diff_state:
        case _, states.PENDING:
            return f"{missing}: its build is not compared yet. Try again in a moment."
        case "after", states.FAILED:
            return f"{missing}: its capture failed. {shot.message}"
        case "after", _:
            return f"{missing}: the story was removed. Request 'before' or 'composite'."
        case "before", _:
            return f"{missing}: the baseline has none. Request 'after' or 'composite'."
    return (
        f"{missing}: only changed screenshots have one, and this one is {shot.diff_state}. "
        "Request 'composite'."
    )


def stored_image(image: Image) -> StoredImage:
    return StoredImage(image_key(image), image.width, image.height)
