"""The pictures of a screenshot for whoever reads them one by one: three sides and the composite."""

from dataclasses import dataclass
from typing import Final, Literal

from visual_review.builds.drawn import Kept, kept_or_drawn
from visual_review.builds.models import Screenshot
from visual_review.builds.queries import screenshot_of
from visual_review.builds.sides import SingleSide, Source, absence, side_of, sides_of
from visual_review.imagediff import Box, ImageError
from visual_review.imagediff.composite import (
    COMPOSITE_VERSION,
    Panel,
    Plan,
    draw_composite,
    plan_composite,
)
from visual_review.imagediff.encoding import Drawn, size_of
from visual_review.kernel.blobs import BlobMissingError, BlobStore, blob_store
from visual_review.kernel.errors import NotFoundError, UnavailableError

Side = Literal["before", "after", "diff", "composite"]

LABELS: Final[dict[SingleSide, str]] = {"before": "Before", "after": "After", "diff": "Difference"}
# What a screenshot of each state is compared by; all others show what was captured.
SHOWN: Final[dict[str, tuple[SingleSide, ...]]] = {
    "changed": ("before", "after", "diff"),
    "removed": ("before",),
}
LEGEND: Final = "In the difference red is changed, yellow anti-aliased, hatched a dynamic region."
UNREADABLE: Final = "A stored picture of this screenshot is missing or damaged. Publish it again."


@dataclass(frozen=True)
class ReadPicture:
    """A picture that clients take as it is; ``note`` says what of the original it shows."""

    data: bytes
    media_type: str
    width: int
    height: int
    note: str


def picture_for_reading(organization_id: str, screenshot_id: str, side: Side) -> ReadPicture:
    """One side of a screenshot, or its composite.

    Raises NotFoundError for an unknown screenshot, another organization's, or one without this
    side. Call it outside transactions: it reads from the storage.
    """
    shot = screenshot_of(organization_id, screenshot_id)
    blobs = blob_store()
    if side == "composite":
        return _composite(shot, blobs)
    source = side_of(shot, side)
    data = _read(source, blobs)
    return ReadPicture(data, "image/png", source.width, source.height, "The original.")


def _composite(shot: Screenshot, blobs: BlobStore) -> ReadPicture:
    sources = _shown(shot)
    plan = _plan(shot, sources)
    heading = _heading(shot)

    def draw() -> Drawn:
        pictures = [_read(source, blobs) for source in sources.values()]
        try:
            return draw_composite(plan, heading, pictures)
        except ImageError as error:
            raise UnavailableError(UNREADABLE) from error

    kept = kept_or_drawn(shot.build.repository, _facts(sources, plan, heading), draw, blobs)
    return _as_read(kept, f"{plan.place}. {LEGEND if 'diff' in sources else ''}".strip())


def _shown(shot: Screenshot) -> dict[SingleSide, Source]:
    found = sides_of(shot)
    wanted = SHOWN.get(shot.diff_state, ("after",))
    sources = {side: found[side] for side in wanted if side in found}
    if not sources:
        raise NotFoundError(absence(shot, wanted[0]))
    return sources


def _plan(shot: Screenshot, sources: dict[SingleSide, Source]) -> Plan:
    panels = [
        Panel(f"{LABELS[side]}, {source.width} x {source.height}", source.width, source.height)
        for side, source in sources.items()
    ]
    boxes = shot.comparison.boxes if shot.comparison and "diff" in sources else []
    return plan_composite(panels, [Box(**box) for box in boxes])


def _heading(shot: Screenshot) -> tuple[str, str]:
    state = shot.diff_state
    if state == "changed":
        state = f"{state}, {percent(shot.diff_ratio)} %"
    return shot.title or shot.story_id, f"{shot.story_id}, {shot.theme}, {shot.device}: {state}"


def percent(ratio: float) -> str:
    """A differing share in percent, never rounded down to nothing."""
    share = ratio * 100
    return "less than 0.01" if 0 < share < 0.01 else f"{share:.2f}"  # noqa: PLR2004 - Two digits.


def _facts(sources: dict[SingleSide, Source], plan: Plan, heading: tuple[str, str]) -> list[object]:
    """All that the composite depends on: keys name contents, and the rest is drawn as it is."""
    return [
        COMPOSITE_VERSION,
        [source.key for source in sources.values()],
        [panel.label for panel in plan.panels],
        [[crop.x, crop.y, crop.width, crop.height] for crop in plan.crops],
        heading,
    ]


def _as_read(kept: Kept, note: str) -> ReadPicture:
    width, height = size_of(kept.data)
    return ReadPicture(kept.data, kept.media_type, width, height, note)


def _read(source: Source, blobs: BlobStore) -> bytes:
    try:
        return blobs.get(source.key)
    except BlobMissingError as error:
        raise UnavailableError(UNREADABLE) from error
