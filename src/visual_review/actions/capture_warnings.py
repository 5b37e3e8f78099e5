"""Warnings of the actions on capture settings and dynamic regions."""

import json
from collections.abc import Mapping, Sequence
from typing import Final

from visual_review.repositories.capture_rules import CaptureRequest, CaptureSettings, Matrix
from visual_review.repositories.capture_settings import axes_as_json
from visual_review.repositories.regions import Rectangle
from visual_review.variants import Device, Theme

_MOST_PLACES: Final = 5


def warn_of_cleared_override(
    before: CaptureSettings,
    after: CaptureSettings,
    request: CaptureRequest,
    where: Mapping[str, str],
) -> list[str]:
    """Return a warning if the request cleared an override by omitting its values.

    ``where`` is the input naming the product. A requested reset needs no warning.
    """
    old, new = axes_as_json(before.override), axes_as_json(after.override)
    cleared = {name: old[name] for name in old if old[name] is not None and new[name] is None}
    if request.reset_to_auto or not cleared:
        return []
    lost = " and ".join(f"{name} ({', '.join(chosen or ())})" for name, chosen in cleared.items())
    again = {**where, **{name: new[name] or old[name] for name in old if new[name] or old[name]}}
    text = (
        f"The override of {lost} was cleared, because a call without it makes it automatic. "
        f"To set it again, call set_repo_capture with {json.dumps(again)}."
    )
    return [text]


def warn_of_unseen_story(story_id: str, near: Sequence[str]) -> str:
    """Return the warning for regions of a story unknown to all builds."""
    meant = f" Did you mean {' or '.join(map(_quoted, near))}?" if near else ""
    return (
        f"No stored build of this product has the story {_quoted(story_id)}, so the regions "
        f"have no effect until one does.{meant}"
    )


def _quoted(name: str) -> str:
    # Names are written by others: invisible characters are escaped, letters of any script stay.
    return json.dumps(name, ensure_ascii=not name.isprintable())


def warn_of_altered_regions(rectangles: Sequence[Rectangle]) -> list[str]:
    """Return warnings for rectangles stored differently than sent."""
    empty = [place for place, each in enumerate(rectangles) if each.clipped().is_empty]
    clipped = [
        place for place, each in enumerate(rectangles) if each.reaches_beyond and place not in empty
    ]
    texts = (
        (empty, "Regions without an area inside the image were left out"),
        (clipped, "Regions that reach beyond the image were clipped"),
    )
    return [f"{text}: {_places(places)}." for places, text in texts if places]


def _places(places: Sequence[int]) -> str:
    named = ", ".join(f"/regions/{place}" for place in places[:_MOST_PLACES])
    more = len(places) - _MOST_PLACES
    return f"{named} and {more} more" if more > 0 else named


def warn_of_uncaptured(theme: Theme, device: Device, matrix: Matrix) -> str:
    """Return the warning for regions of a variant not captured by the next builds."""
    return (
        f"The next builds do not capture {theme}/{device}: they capture the themes "
        f"{', '.join(matrix.themes)} on {', '.join(matrix.devices)}. set_repo_capture changes that."
    )


def is_captured(theme: Theme, device: Device, matrix: Matrix, *, armed: bool) -> bool:
    """Return whether the next full build captures the variant."""
    # An armed detection captures all six.
    return armed or (theme, device) in matrix.variants
