"""The pictures of a screenshot for whoever reads them one by one: its sides and the composite."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Final, Literal

from visual_review.builds.images.links import LINK_SECONDS
from visual_review.builds.images.render_cache import CachedImage, cached_or_rendered
from visual_review.builds.images.sides import SingleSide, Source, absence, side_of, sides_of
from visual_review.builds.models import Screenshot
from visual_review.builds.queries import screenshot_of
from visual_review.imagediff import Box, ImageError
from visual_review.imagediff.arrangement import LONGEST_SIDE
from visual_review.imagediff.composite import COMPOSITE_VERSION, draw_composite
from visual_review.imagediff.composite_plan import Panel, Plan, plan_composite
from visual_review.imagediff.encoding import MOST_BYTES, RenderedImage, size_of
from visual_review.kernel.blobs import BlobMissingError, BlobStore, blob_store
from visual_review.kernel.errors import NotFoundError, UnavailableError

Side = Literal["before", "after", "diff", "composite"]

NAMES: Final[dict[SingleSide, str]] = {"before": "Before", "after": "After", "diff": "Difference"}
# A screenshot of any other state shows what was captured.
SHOWN: Final[dict[str, tuple[SingleSide, ...]]] = {
    "changed": ("before", "after", "diff"),
    "removed": ("before",),
}
LEGEND: Final = "In the difference red is changed, yellow anti-aliased, hatched a dynamic region."
UNREADABLE: Final = "A stored picture of this screenshot is missing or damaged. Publish it again."

NOT_STORED: Final = "The picture cannot be stored. Free space on the server's disk, then try again."


@dataclass(frozen=True)
class ReadableImage:
    """A picture that clients take as it is; ``note`` says what of the original it shows."""

    data: bytes
    media_type: str
    width: int
    height: int
    note: str


@dataclass(frozen=True)
class _Drawing:
    """What is drawn, and what it is kept by."""

    sources: tuple[Source, ...]
    plan: Plan
    heading: tuple[str, str]

    def facts(self) -> list[object]:
        # Keys name contents, and all else in the picture follows from what stands here.
        crops = [[crop.x, crop.y, crop.width, crop.height] for crop in self.plan.crops]
        keys = [source.key for source in self.sources]
        names = [panel.name for panel in self.plan.panels]
        return [COMPOSITE_VERSION, keys, names, crops, self.plan.complete, *self.heading]


def image_for_reading(organization_id: str, screenshot_id: str, side: Side) -> ReadableImage:
    """One side of a screenshot, or its composite: at most 1,568 pixels a side and 740 kB.

    Raises NotFoundError for an unknown screenshot, another organization's, or one without this
    side; UnavailableError when the storage fails. Call it outside transactions.
    """
    shot = screenshot_of(organization_id, screenshot_id)
    blobs = blob_store()
    if side == "composite":
        drawing = _composite(shot)
        kept = _kept(shot, drawing, blobs)
        legend = f" {LEGEND}" if len(drawing.sources) > 1 else ""
        return _as_read(kept, f"{drawing.plan.place()}.{legend}")
    return _single(shot, side, blobs)


def composite_link(organization_id: str, screenshot_id: str) -> str:
    """A signed, expiring address of the composite, which is drawn now if it never was.

    Raises as ``picture_for_reading`` does, and UnavailableError when it cannot be stored.
    """
    shot = screenshot_of(organization_id, screenshot_id)
    blobs = blob_store()
    kept = _kept(shot, _composite(shot), blobs)
    if not kept.stored:
        raise UnavailableError(NOT_STORED)
    return blobs.link(kept.key, LINK_SECONDS)


def percent(ratio: float) -> str:
    """A share in percent, never rounded down to nothing."""
    share = ratio * 100
    return "less than 0.01" if 0 < share < 0.01 else f"{share:.2f}"  # noqa: PLR2004 - Two digits.


def _single(shot: Screenshot, side: SingleSide, blobs: BlobStore) -> ReadableImage:
    source = side_of(shot, side)
    size = f"{source.width}x{source.height}"
    if max(source.width, source.height) <= LONGEST_SIDE:
        data = _read(source, blobs)
        if len(data) <= MOST_BYTES:
            note = f"The original, {size}."
            return ReadableImage(data, "image/png", source.width, source.height, note)
    drawing = _drawing(shot, {side: source}, NAMES[side].lower())
    kept = _kept(shot, drawing, blobs)
    return _as_read(kept, f"A smaller copy below a heading. {drawing.plan.place()}.")


def _composite(shot: Screenshot) -> _Drawing:
    found = sides_of(shot)
    wanted = SHOWN.get(shot.diff_state, ("after",))
    sources = {side: found[side] for side in wanted if side in found}
    if not sources:
        raise NotFoundError(absence(shot, wanted[0]))
    state = shot.diff_state
    if state == "changed":
        state = f"{state}, {percent(shot.diff_ratio)} %"
    return _drawing(shot, sources, state)


def _drawing(shot: Screenshot, sources: dict[SingleSide, Source], state: str) -> _Drawing:
    panels = [
        Panel(NAMES[side], source.width, source.height, marks=side == "diff")
        for side, source in sources.items()
    ]
    boxes = shot.comparison.boxes if shot.comparison else []
    plan = plan_composite(panels, [Box(**box) for box in boxes])
    facts = f"{shot.story_id}, {shot.theme}, {shot.device}: {state}"
    return _Drawing(tuple(sources.values()), plan, (shot.title or shot.story_id, facts))


def _kept(shot: Screenshot, drawing: _Drawing, blobs: BlobStore) -> CachedImage:
    pictures: list[Callable[[], bytes]] = [
        partial(_read, source, blobs) for source in drawing.sources
    ]

    def draw() -> RenderedImage:
        try:
            return draw_composite(drawing.plan, drawing.heading, pictures)
        except ImageError as error:
            raise UnavailableError(UNREADABLE) from error

    return cached_or_rendered(shot.build.repository, drawing.facts(), draw, blobs)


def _as_read(kept: CachedImage, note: str) -> ReadableImage:
    width, height = size_of(kept.data)
    return ReadableImage(kept.data, kept.media_type, width, height, note)


def _read(source: Source, blobs: BlobStore) -> bytes:
    try:
        return blobs.get(source.key)
    except BlobMissingError as error:
        raise UnavailableError(UNREADABLE) from error
