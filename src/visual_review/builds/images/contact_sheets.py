"""Contact sheets of a build: what needs a review, 8 to 16 screenshots an image."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import partial
from typing import Final

from django.db.models import QuerySet

from visual_review.builds.bidi_controls import show_bidi_controls
from visual_review.builds.images.composites import NOT_STORED, SIDE_NAMES, percent
from visual_review.builds.images.links import LINK_SECONDS
from visual_review.builds.images.render_cache import RENDER_WAIT_SECONDS, get_or_render
from visual_review.builds.images.sides import SingleSide, StoredImage, sides_of
from visual_review.builds.images.stored_changes import boxes_of, changes_of
from visual_review.builds.images.stored_files import limits_of, read_stored, reading_in_turn
from visual_review.builds.models import Build, Screenshot
from visual_review.builds.queries import build_of
from visual_review.builds.states import CHANGED, FAILED, NEW
from visual_review.builds.to_review import rows_to_review
from visual_review.imagediff.changes.model import change_to_json
from visual_review.imagediff.rendering.composite_plan import Panel
from visual_review.imagediff.rendering.contact_sheet import SHEET_VERSION, render_contact_sheet
from visual_review.imagediff.rendering.contact_sheet_plan import (
    SheetEntry,
    plan_sheet,
    split_into_sheets,
)
from visual_review.imagediff.rendering.encoding import RenderedImage
from visual_review.kernel.blobs import blob_store
from visual_review.kernel.errors import NotFoundError, UnavailableError

# What a pair shows; the composite has the difference as well.
SHEET_SIDES: Final[tuple[SingleSide, ...]] = ("before", "after")
NO_SHEET: Final = "This build has no such contact sheet."


@dataclass(frozen=True)
class ContactSheet:
    """One sheet and the screenshots on it, with their numbers in the build."""

    number: int
    screenshots: tuple[tuple[int, Screenshot], ...]

    @property
    def first(self) -> int:
        return self.screenshots[0][0]

    @property
    def last(self) -> int:
        return self.screenshots[-1][0]


def count_sheets(build: Build) -> int:
    return len(split_into_sheets(_rows(build).count()))


def contact_sheets_of(build: Build, wanted: Sequence[int]) -> list[ContactSheet]:
    """Return the sheets with these numbers, which begin at 1; those that do not exist are left out."""
    parts = split_into_sheets(_rows(build).count())
    return [
        ContactSheet(number, tuple(_load(build, parts[number - 1])))
        for number in wanted
        if 1 <= number <= len(parts)
    ]


def contact_sheet_link(organization_id: str, build_id: str, number: int) -> str:
    """Return a signed, expiring URL of a contact sheet, which is rendered if it is not cached.

    Raises NotFoundError for an unknown build, another organization's, or a sheet that does not
    exist; UnavailableError if the storage fails. Call it outside transactions.
    """
    build = build_of(organization_id, build_id)
    total = _rows(build).count()
    parts = split_into_sheets(total)
    if not 1 <= number <= len(parts):
        raise NotFoundError(NO_SHEET)
    part = parts[number - 1]
    numbered = _load(build, part)
    shown = f"#{numbered[0][0]} to #{numbered[-1][0]}"
    place = f"sheet {number} of {len(parts)}, {shown}, {total} in all"
    heading = f"{build.repository.full_name}, build {build.number}: {place}"
    blobs = blob_store()
    rendering = _Rendering(heading, numbered)
    cached = get_or_render(build.repository, rendering.cache_inputs(), rendering.draw, blobs)
    if not cached.stored:
        raise UnavailableError(NOT_STORED)
    return blobs.link(cached.key, LINK_SECONDS)


class _Rendering:
    """What to render, and what identifies the result in the cache."""

    def __init__(self, heading: str, numbered: Sequence[tuple[int, Screenshot]]) -> None:
        self.heading = heading
        self.sources = [_sources_of(shot) for _, shot in numbered]
        self.entries = [
            _entry(number, shot, sources)
            for (number, shot), sources in zip(numbered, self.sources, strict=True)
        ]

    def cache_inputs(self) -> list[object]:
        # Keys identify contents, and everything else in the image follows from these values.
        keys = [[source.key for source in sources.values()] for sources in self.sources]
        entries = [
            {**asdict(entry), "changes": [change_to_json(change) for change in entry.changes]}
            for entry in self.entries
        ]
        return ["contact sheet", SHEET_VERSION, self.heading, keys, entries]

    def draw(self) -> RenderedImage:
        blobs = blob_store()
        stored = [source for sources in self.sources for source in sources.values()]
        readers = [
            [partial(read_stored, source, blobs) for source in sources.values()]
            for sources in self.sources
        ]
        with reading_in_turn(stored, RENDER_WAIT_SECONDS):
            plan = plan_sheet(self.entries)
            return render_contact_sheet(plan, self.heading, readers, limits_of(stored))


def _entry(number: int, shot: Screenshot, sources: dict[SingleSide, StoredImage]) -> SheetEntry:
    return SheetEntry(
        number=number,
        title=show_bidi_controls(shot.title or shot.story_id),
        variant=f"{shot.theme}, {shot.device}",
        summary=show_bidi_controls(_summary(shot)),
        panels=tuple(
            Panel(SIDE_NAMES[side], source.width, source.height, side)
            for side, source in sources.items()
        ),
        boxes=tuple(boxes_of(shot.comparison)),
        changes=tuple(changes_of(shot.comparison)),
    )


def _summary(shot: Screenshot) -> str:
    if shot.diff_state == CHANGED:
        summary = shot.comparison.summary if shot.comparison else ""
        return summary or f"{percent(shot.diff_ratio)} % of the pixels differ"
    return "New" if shot.diff_state == NEW else "Removed"


def _sources_of(shot: Screenshot) -> dict[SingleSide, StoredImage]:
    found = sides_of(shot)
    return {side: found[side] for side in SHEET_SIDES if side in found}


def _rows(build: Build) -> QuerySet[Screenshot]:
    return rows_to_review(build).exclude(diff_state=FAILED).order_by("number")


def _load(build: Build, part: range) -> list[tuple[int, Screenshot]]:
    rows = _rows(build).select_related("image", "baseline_image", "comparison")
    return [(shot.number or 0, shot) for shot in rows[part.start : part.stop]]
