"""A screenshot's images for clients reading one image at a time: sides and composite."""

from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from functools import partial
from typing import Final, Literal

from visual_review.builds.bidi_controls import show_bidi_controls
from visual_review.builds.images.links import LINK_SECONDS
from visual_review.builds.images.render_cache import (
    RENDER_WAIT_SECONDS,
    CachedImage,
    get_or_render,
)
from visual_review.builds.images.sides import (
    SingleSide,
    StoredImage,
    explain_missing_side,
    side_of,
    sides_of,
)
from visual_review.builds.images.stored_files import (
    boxes_of,
    changes_of,
    limits_of,
    read_stored,
    reading_in_turn,
)
from visual_review.builds.models import Screenshot
from visual_review.builds.queries import screenshot_of
from visual_review.builds.states import CHANGED, REMOVED
from visual_review.imagediff import Box
from visual_review.imagediff.changes.model import CHANGE_KINDS, change_to_json
from visual_review.imagediff.rendering.arrangement import LONGEST_SIDE
from visual_review.imagediff.rendering.composite import COMPOSITE_VERSION, render_composite
from visual_review.imagediff.rendering.composite_plan import Panel, Plan, plan_composite
from visual_review.imagediff.rendering.pair_frames import is_faint_only
from visual_review.imagediff.rendering.thumbnails import MOST_BYTES, RenderedImage, read_size
from visual_review.kernel.blobs import BlobStore, blob_store
from visual_review.kernel.errors import NotFoundError, UnavailableError

Side = Literal["before", "after", "diff", "composite"]

SIDE_NAMES: Final[dict[SingleSide, str]] = {
    "before": "Before",
    "after": "After",
    "diff": "Difference",
}
# In any other state, the composite shows the captured image.
COMPOSITE_SIDES: Final[dict[str, tuple[SingleSide, ...]]] = {
    CHANGED: ("before", "after", "diff"),
    REMOVED: ("before",),
}
LEGEND: Final = (
    "In the difference, red is changed, yellow is anti-aliasing, hatched is a dynamic region"
)
AMPLIFIED: Final = "The last panel exaggerates the differences, which are hard to see"
NOT_STORED: Final = "The image cannot be stored. Free up disk space on the server, then try again."


@dataclass(frozen=True)
class ReadableImage:
    """An image for clients; ``note`` says which part of the original is shown.

    ``scale`` is pixels shown per pixel of the original, of both ``sides`` if both are shown, and
    ``parts`` are the visible parts of the original.
    """

    data: bytes
    media_type: str
    width: int
    height: int
    note: str
    scale: float = 1.0
    sides: tuple[SingleSide, ...] = ()
    parts: tuple[Box, ...] = ()


@dataclass(frozen=True)
class CompositeRequest:
    """A rendering plan, and the identity of the result in the cache."""

    sources: tuple[StoredImage, ...]
    plan: Plan
    heading: tuple[str, str]

    @property
    def sides(self) -> tuple[SingleSide, ...]:
        """Return the shown files."""
        shown = {panel.side for panel in self.plan.panels}
        return tuple(side for side in SIDE_NAMES if side in shown)

    def cache_inputs(self) -> list[object]:
        # Keys identify contents, and everything else in the image follows from these values.
        crops = [[crop.x, crop.y, crop.width, crop.height] for crop in self.plan.crops]
        keys = [source.key for source in self.sources]
        names = [panel.name for panel in self.plan.panels]
        boxes = [asdict(box) for box in self.plan.boxes]
        changes = [change_to_json(change) for change in self.plan.changes]
        inputs = [keys, names, crops, self.plan.complete, boxes, changes, self.plan.outlined]
        return [COMPOSITE_VERSION, *inputs, *self.heading]


def image_for_reading(organization_id: str, screenshot_id: str, side: Side) -> ReadableImage:
    """Return one side of a screenshot, or its composite: at most 1,568 pixels a side and 740 kB.

    Raises NotFoundError for an unknown screenshot, another organization's, or a missing side;
    UnavailableError if the storage fails. Call outside transactions.
    """
    return read_image(screenshot_of(organization_id, screenshot_id), side)


def read_image(shot: Screenshot, side: Side) -> ReadableImage:
    """Return one side of a screenshot, or its composite, as ``image_for_reading`` does."""
    blobs = blob_store()
    if side == "composite":
        rendering = composite_of(shot)
        return _readable(render(shot, rendering, blobs), rendering)
    return _single(shot, side, blobs)


def composite_link(organization_id: str, screenshot_id: str) -> str:
    """Return a signed, expiring URL of the composite, rendered unless cached.

    Raises the errors of ``image_for_reading``, and UnavailableError if storing fails.
    """
    shot = screenshot_of(organization_id, screenshot_id)
    blobs = blob_store()
    cached = render(shot, composite_of(shot), blobs)
    if not cached.stored:
        raise UnavailableError(NOT_STORED)
    return blobs.link(cached.key, LINK_SECONDS)


def percent(ratio: float) -> str:
    """Format a ratio in percent, never rounded down to zero."""
    share = ratio * 100
    return "less than 0.01" if 0 < share < 0.01 else f"{share:.2f}"  # noqa: PLR2004 - Two digits.


def _single(shot: Screenshot, side: SingleSide, blobs: BlobStore) -> ReadableImage:
    source = side_of(shot, side)
    size = f"{source.width}x{source.height}"
    if max(source.width, source.height) <= LONGEST_SIDE:
        data = read_stored(source, blobs)
        if len(data) <= MOST_BYTES:
            note = f"The original, {size}."
            width, height = source.width, source.height
            parts = (Box(0, 0, width, height),)
            return ReadableImage(data, "image/png", width, height, note, sides=(side,), parts=parts)
    rendering = _rendering(shot, {side: source}, SIDE_NAMES[side].lower())
    readable = _readable(render(shot, rendering, blobs), rendering)
    return replace(
        readable, note=f"A smaller copy below a heading. {rendering.plan.describe_view()}."
    )


def composite_of(shot: Screenshot) -> CompositeRequest:
    """Plan the composite of a screenshot; raises NotFoundError without an image."""
    found = sides_of(shot)
    wanted = COMPOSITE_SIDES.get(shot.diff_state, ("after",))
    sources = {side: found[side] for side in wanted if side in found}
    if not sources:
        raise NotFoundError(explain_missing_side(shot, wanted[0]))
    state = shot.diff_state
    if state == CHANGED:
        state = f"{state}, {percent(shot.diff_ratio)} %"
    return _rendering(shot, sources, state)


def _rendering(
    shot: Screenshot, sources: dict[SingleSide, StoredImage], state: str
) -> CompositeRequest:
    changes = changes_of(shot.comparison)
    panels = panels_of(sources)
    if "diff" in sources and is_faint_only(changes):
        panels.append(replace(panels[-1], name="Amplified", side="amplified"))
    plan = plan_composite(panels, boxes_of(shot.comparison), changes)
    return CompositeRequest(tuple(sources.values()), plan, heading_of(shot, state))


def panels_of(sources: dict[SingleSide, StoredImage]) -> list[Panel]:
    """Return a panel for each image."""
    return [
        Panel(SIDE_NAMES[side], source.width, source.height, side)
        for side, source in sources.items()
    ]


def heading_of(shot: Screenshot, state: str) -> tuple[str, str]:
    """Return a title, and a line of facts."""
    subtitle = f"{shot.story_id}, {shot.theme}, {shot.device}: {state}"
    return show_bidi_controls(shot.title or shot.story_id), show_bidi_controls(subtitle)


def render(shot: Screenshot, rendering: CompositeRequest, blobs: BlobStore) -> CachedImage:
    """Return the image from the cache, or render it; raises UnavailableError on failure."""
    sources, repository = rendering.sources, shot.build.repository
    readers: list[Callable[[], bytes]] = [partial(read_stored, each, blobs) for each in sources]
    limits = limits_of(sources)

    def draw() -> RenderedImage:
        with reading_in_turn(repository.organization_id, sources, RENDER_WAIT_SECONDS):
            return render_composite(rendering.plan, rendering.heading, readers, limits)

    return get_or_render(repository, rendering.cache_inputs(), draw, blobs)


def describe_plan(plan: Plan) -> str:
    """Return the shown part of the screenshot in a composite, and the meaning of its colors."""
    sides = {panel.side for panel in plan.panels}
    legend = ""
    if "diff" in sides:
        kinds = {change.kind for change in plan.changes}
        more = [rules.legend for kind, rules in CHANGE_KINDS.items() if kind in kinds]
        legend = ", ".join(filter(None, [LEGEND, *more]))
    amplified = AMPLIFIED if "amplified" in sides else ""
    sentences = [plan.describe_view(), plan.explain_colors(), legend, amplified]
    return " ".join(f"{sentence}." for sentence in sentences if sentence)


def _readable(cached: CachedImage, rendering: CompositeRequest) -> ReadableImage:
    width, height = read_size(cached.data)
    plan = rendering.plan
    return ReadableImage(
        cached.data,
        cached.media_type,
        width,
        height,
        describe_plan(plan),
        plan.arrangement.scale,
        rendering.sides,
        plan.crops,
    )
