"""One image of one screenshot in the requested form, part and size."""

from dataclasses import dataclass, replace
from functools import partial
from typing import Final, Literal, NamedTuple

from visual_review.builds.images.composites import (
    CompositeRequest,
    composite_of,
    describe_plan,
    heading_of,
    panels_of,
    render,
)
from visual_review.builds.images.render_cache import CachedImage
from visual_review.builds.images.requested_images import (
    Form,
    PlannedImage,
    ShownScreenshot,
    explain_missing,
)
from visual_review.builds.images.sides import SingleSide, StoredImage, sides_of
from visual_review.builds.images.stored_files import boxes_of, changes_of, read_stored
from visual_review.builds.models import Screenshot
from visual_review.imagediff.model import Box
from visual_review.imagediff.rendering.arrangement import (
    LEGIBLE,
    LONGEST_SIDE,
    MOST_PIXELS,
    Arrangement,
    arrange,
    arrange_at,
    arrange_columns,
    columns_of,
    enclose_with_surroundings,
)
from visual_review.imagediff.rendering.composite_plan import (
    Panel,
    Plan,
    boxes_to_show,
    clip,
)
from visual_review.imagediff.rendering.outline_choice import contains
from visual_review.imagediff.rendering.thumbnails import MOST_BYTES
from visual_review.kernel.blobs import blob_store
from visual_review.kernel.errors import InvalidInputError, NotFoundError

SIDES_OF_FORMS: Final[dict[Form, tuple[SingleSide, ...]]] = {
    "composite": ("before", "after", "diff"),
    "whole": ("before", "after"),
    "before": ("before",),
    "after": ("after",),
    "diff": ("diff",),
}
ILLEGIBLE: Final = "Text may be illegible at this scale: request a part of it with crop."


class PartOfImage(NamedTuple):
    """A part of an image, in its pixels."""

    x: int
    y: int
    width: int
    height: int


@dataclass(frozen=True)
class ImageRequest:
    """A form, a part, pixels shown per pixel, and outlines; the part ``changes`` has all changes."""

    form: Form
    crop: PartOfImage | Literal["changes"] | None = None
    scale: float | None = None
    outlines: bool = True

    @property
    def is_plain(self) -> bool:
        return self.crop is None and self.scale is None and self.outlines


def plan_form(request: ImageRequest, shot: Screenshot) -> PlannedImage:
    """Plan the image; raises NotFoundError without one, InvalidInputError for a crop outside it."""
    if request.form == "composite" and request.is_plain:
        return _planned(request, shot, composite_of(shot))
    sources = _sources(request, shot)
    rendering = CompositeRequest(
        tuple(sources.values()),
        _plan(request, shot, panels_of(sources)),
        heading_of(shot, request.form),
    )
    (first, *others) = sources.values()
    small = first.width * first.height <= MOST_PIXELS
    if others or not request.is_plain or not small or max(first.width, first.height) > LONGEST_SIDE:
        return _planned(request, shot, rendering)
    planned = _planned(request, shot, rendering)
    note = replace(planned.shown[0], note=f"the original, {first.width}x{first.height}", scale=1.0)
    original = partial(_original, first, planned)
    return PlannedImage(request.form, first.width, first.height, (note,), original)


def _original(source: StoredImage, smaller: PlannedImage) -> CachedImage:
    data = read_stored(source, blob_store())
    if len(data) > MOST_BYTES:
        return smaller.render()
    return CachedImage(source.key, data, "image/png")


def _sources(request: ImageRequest, shot: Screenshot) -> dict[SingleSide, StoredImage]:
    found = sides_of(shot)
    wanted = SIDES_OF_FORMS[request.form]
    sources = {side: found[side] for side in wanted if side in found}
    if not sources:
        raise NotFoundError(explain_missing(shot, wanted[-1]))
    return sources


def _plan(request: ImageRequest, shot: Screenshot, panels: list[Panel]) -> Plan:
    width = max(panel.width for panel in panels)
    area = Box(0, 0, width, max(panel.height for panel in panels))
    boxes, changes = boxes_of(shot.comparison), changes_of(shot.comparison)
    seen = boxes_to_show(boxes, changes, area)
    crops: tuple[Box, ...] = (_crop(request, shot, seen, area),)
    if len(panels) == 1 and crops == (area,) and request.scale is None:
        crops = columns_of(area)
        arrangement = arrange_columns(crops)
    else:
        arrangement = _arrange(crops[0], len(panels), request.scale)
    # Several crops are the columns of the whole image.
    complete = len(crops) > 1 or all(contains(crops[0], box) for box in seen)
    changed = tuple(boxes), tuple(changes)
    return Plan(tuple(panels), area, crops, arrangement, complete, *changed, request.outlines)


def _arrange(crop: Box, panels: int, scale: float | None) -> Arrangement:
    return arrange([crop], panels) if scale is None else arrange_at([crop], panels, scale)


def _crop(request: ImageRequest, shot: Screenshot, seen: list[Box], area: Box) -> Box:
    crop = request.crop
    if crop is None and request.form != "composite":
        return area
    if not isinstance(crop, PartOfImage):
        return enclose_with_surroundings(seen, area) if seen else area
    return crop_within(crop, shot, area)


def crop_within(crop: PartOfImage, shot: Screenshot, area: Box) -> Box:
    """Return the part of a screenshot's images. Raises InvalidInputError for a part outside."""
    part = clip(Box(*crop), area)
    if not part.width or not part.height:
        raise InvalidInputError(
            f"The crop is outside screenshot #{shot.number}, which is "
            f"{area.width}x{area.height} pixels."
        )
    return part


def _planned(request: ImageRequest, shot: Screenshot, rendering: CompositeRequest) -> PlannedImage:
    plan = rendering.plan
    scale = plan.arrangement.scale
    note = describe_plan(plan)
    if request.scale is not None and scale < request.scale:
        note = f"{note} The requested scale does not fit."
    if scale < LEGIBLE:
        note = f"{note} {ILLEGIBLE}"
    shown = ShownScreenshot(
        shot, note[:1].lower() + note[1:], scale, plan.complete, rendering.sides, plan.crops
    )
    size = plan.arrangement.width, plan.arrangement.height
    return PlannedImage(request.form, *size, (shown,), partial(_render, shot, rendering))


def _render(shot: Screenshot, rendering: CompositeRequest) -> CachedImage:
    return render(shot, rendering, blob_store())
