"""Dense sheets of numbered pairs, which cost a model as little as possible."""

from collections.abc import Callable, Sequence
from dataclasses import asdict, replace
from functools import partial
from typing import Final

from visual_review.builds.bidi_controls import show_bidi_controls
from visual_review.builds.images.composites import panels_of
from visual_review.builds.images.forms import ImageRequest, PartOfImage, crop_within
from visual_review.builds.images.render_cache import (
    RENDER_WAIT_SECONDS,
    CachedImage,
    get_or_render,
)
from visual_review.builds.images.requested_images import (
    PIXELS_PER_TOKEN,
    PlannedImage,
    ShownScreenshot,
)
from visual_review.builds.images.sides import SingleSide, StoredImage, sides_of
from visual_review.builds.images.stored_files import (
    boxes_of,
    changes_of,
    limits_of,
    read_stored,
    reading_in_turn,
)
from visual_review.builds.models import Screenshot
from visual_review.imagediff.changes.model import change_to_json
from visual_review.imagediff.rendering.composite_plan import boxes_to_show
from visual_review.imagediff.rendering.outline_choice import PanelSide, contains
from visual_review.imagediff.rendering.pair_frames import SheetEntry, View
from visual_review.imagediff.rendering.pair_sheet import PAIR_SHEET_VERSION, render_pair_sheet
from visual_review.imagediff.rendering.pair_sheet_plan import (
    MOST_ON_A_SHEET,
    PairCell,
    PairSheetPlan,
    fill_sheet,
    make_cell,
)
from visual_review.imagediff.rendering.thumbnails import RenderedImage
from visual_review.kernel.blobs import blob_store

Sources = dict[SingleSide, StoredImage]
SHEET_SIDES: Final[tuple[SingleSide, ...]] = ("before", "after")
# Of a screenshot shown in several parts, so many are described.
NAMED_PARTS: Final = 2
# One cell fits a sheet of this size, with any content.
ANY_PIXELS: Final = 10**9


def sources_of_pair(shot: Screenshot) -> Sources:
    """Return the images of a screenshot on a sheet."""
    found = sides_of(shot)
    return {side: found[side] for side in SHEET_SIDES if side in found}


def plan_next_sheet(
    request: ImageRequest, shots: Sequence[Screenshot], tokens: int
) -> PlannedImage:
    """Plan a sheet with as many of the first screenshots as fit into so many tokens.

    Each screenshot must have an image. If not even the first fits, the sheet shows the first alone
    and takes more tokens. Raises InvalidInputError for a crop outside a screenshot.
    """
    sources = [sources_of_pair(shot) for shot in shots[:MOST_ON_A_SHEET]]
    pairs = zip(shots, sources, strict=False)
    cells = [make_cell(_entry(request, shot, found)) for shot, found in pairs]
    # A sheet of exactly so many pixels is rounded up to one token more.
    plan = fill_sheet(cells, tokens * PIXELS_PER_TOKEN) or fill_sheet(cells[:1], ANY_PIXELS)
    if plan is None:
        raise AssertionError(f"{shots[0].pk} fits no sheet")
    count = len(plan.cells)
    shown = tuple(_shown(shot, cell) for shot, cell in zip(shots, cells[:count], strict=False))
    render = partial(_render, shots[0], plan, sources[:count])
    return PlannedImage("sheet", plan.width, plan.height, shown, render)


def _entry(request: ImageRequest, shot: Screenshot, sources: Sources) -> SheetEntry:
    comparison = shot.comparison
    entry = SheetEntry(
        number=shot.number or 0,
        title=show_bidi_controls(shot.title or shot.story_id),
        variant=f"{shot.theme}, {shot.device}",
        panels=tuple(panels_of(sources)),
        boxes=tuple(boxes_of(comparison)),
        changes=tuple(changes_of(comparison)),
    )
    crop = request.crop
    part = crop_within(crop, shot, entry.area) if isinstance(crop, PartOfImage) else None
    return replace(entry, view=View(part, request.scale, request.outlines))


def _shown(shot: Screenshot, cell: PairCell) -> ShownScreenshot:
    sides = tuple(side for side in SHEET_SIDES if any(p.side == side for p in cell.panels))
    scale = cell.frame.scale
    return ShownScreenshot(
        shot, _describe(cell), scale, cell.frame.complete, sides, cell.frame.parts
    )


def _describe(cell: PairCell) -> str:
    """Return the shown part of a cell, and its scale."""
    frame, area = cell.frame, cell.entry.area
    whole = f"{area.width}x{area.height}"
    if frame.parts == (area,):
        parts = f"all of {whole}"
    else:
        first = frame.parts[:NAMED_PARTS]
        named = ", ".join(f"{part.width}x{part.height} at {part.x},{part.y}" for part in first)
        more = len(frame.parts) - len(first)
        parts = f"{named}{f' and {more} more' if more else ''} of {whole}"
    notes = [parts]
    if frame.scale != 1:
        notes.append(f"at {frame.scale:.0%}")
    if len(cell.panels) > len(cell.entry.panels):
        notes.append("faint, so the differences are shown amplified as well")
    if not frame.complete:
        notes.append(f"IN PART: {_missing(cell)} outside")
    return ", ".join(notes)


def _missing(cell: PairCell) -> str:
    entry, parts = cell.entry, cell.frame.parts
    boxes = boxes_to_show(entry.boxes, entry.changes, entry.area) or [entry.area]
    is_shown = all(any(contains(part, box) for part in parts) for box in boxes)
    return "moved content continues" if is_shown else "more changed"


def _render(first: Screenshot, plan: PairSheetPlan, sources: Sequence[Sources]) -> CachedImage:
    blobs, repository = blob_store(), first.build.repository
    stored = [source for found in sources for source in found.values()]

    def draw() -> RenderedImage:
        readers: list[dict[PanelSide, Callable[[], bytes]]] = [
            {side: partial(read_stored, source, blobs) for side, source in found.items()}
            for found in sources
        ]
        with reading_in_turn(repository.organization_id, stored, RENDER_WAIT_SECONDS):
            return render_pair_sheet(plan, readers, limits_of(stored))

    return get_or_render(repository, _cache_inputs(plan, sources), draw, blobs)


def _cache_inputs(plan: PairSheetPlan, sources: Sequence[Sources]) -> list[object]:
    # Keys identify contents, and everything else in the image follows from these values.
    keys = [[source.key for source in found.values()] for found in sources]
    cells = [
        [
            {
                **asdict(cell.entry),
                "changes": [change_to_json(change) for change in cell.entry.changes],
            },
            *(left, top),
        ]
        for cell, left, top in plan.cells
    ]
    return ["pair sheet", PAIR_SHEET_VERSION, plan.width, plan.height, keys, cells]
