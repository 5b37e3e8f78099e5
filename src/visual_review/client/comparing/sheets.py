"""Render sheets of pairs: many changed images of a report in one image.

Images with the same change follow each other, so one sheet often shows a whole group.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Final

from visual_review.client.comparing.other_formats import convert_to_png, read_file
from visual_review.client.comparing.outcomes import Outcome, Results, parse_name
from visual_review.client.comparing.threads import MemoryLimit
from visual_review.client.terminal import printable
from visual_review.imagediff import DEFAULT_LIMITS
from visual_review.imagediff.memory import rendering_memory
from visual_review.imagediff.rendering.arrangement import MOST_PIXELS
from visual_review.imagediff.rendering.composite_plan import Panel
from visual_review.imagediff.rendering.outline_choice import PanelSide
from visual_review.imagediff.rendering.pair_frames import SheetEntry
from visual_review.imagediff.rendering.pair_sheet import render_pair_sheet
from visual_review.imagediff.rendering.pair_sheet_plan import (
    MOST_ON_A_SHEET,
    PairSheetPlan,
    fill_sheet,
    make_cell,
)
from visual_review.imagediff.rendering.thumbnails import RenderedImage

PANEL_NAMES: Final[dict[PanelSide, str]] = {"before": "Before", "after": "After"}


@dataclass(frozen=True, slots=True)
class Sheet:
    """A planned sheet, and the images on the sheet."""

    plan: PairSheetPlan
    outcomes: tuple[Outcome, ...]


def plan_sheets(results: Results) -> list[Sheet]:
    """Divide the changed, new and removed images; an empty list if all are unchanged."""
    shown = list(_list_shown(results))
    sheets: list[Sheet] = []
    start = 0
    while start < len(shown):
        next_ones = shown[start : start + MOST_ON_A_SHEET]
        cells = [make_cell(_make_entry(at, each)) for at, each in enumerate(next_ones, start + 1)]
        plan = fill_sheet(cells, MOST_PIXELS)
        if plan is None:
            raise AssertionError(f"{next_ones[0].name} fits no sheet")
        count = len(plan.cells)
        sheets.append(Sheet(plan, tuple(next_ones[:count])))
        start += count
    return sheets


def render_sheet(sheet: Sheet, folder: Path, memory: MemoryLimit) -> RenderedImage:
    """Render a sheet from the images of a report. Raises ImageError and UnreadableFileError."""
    readers = [
        {side: partial(_read, folder / path) for side, path in _files_of(outcome).items()}
        for outcome in sheet.outcomes
    ]
    largest = max(rendering_memory(size) for outcome in sheet.outcomes for size in outcome.sizes)
    with memory.reserve(largest):
        return render_pair_sheet(sheet.plan, readers)


def _list_shown(results: Results) -> Iterator[Outcome]:
    """Yield changed images by their groups, the one with the worst first, then the others."""
    by_name = {outcome.name: outcome for outcome in results.outcomes}
    groups = [[by_name[name] for name in group.members] for group in results.groups]
    yield from chain.from_iterable(sorted(groups, key=_rank_group))
    for state in ("new", "removed"):
        yield from (outcome for outcome in results.outcomes if outcome.state == state)


def _rank_group(outcomes: Iterable[Outcome]) -> float:
    return -max(each.analysis.severity for each in outcomes if each.analysis is not None)


def _make_entry(number: int, outcome: Outcome) -> SheetEntry:
    name, path = parse_name(outcome.name), Path(outcome.name)
    variant = ", ".join(part for part in (name.theme, name.device) if part)
    return SheetEntry(
        number=number,
        title=printable(name.story.rpartition("/")[2] or path.name),
        variant=printable(variant or path.parent.name or "."),
        panels=tuple(
            Panel(PANEL_NAMES[side], *size, side)
            for side, size in zip(_files_of(outcome), outcome.sizes, strict=True)
        ),
        boxes=outcome.verdict.boxes if outcome.verdict else (),
        changes=outcome.analysis.changes if outcome.analysis else (),
    )


def _files_of(outcome: Outcome) -> Mapping[PanelSide, str]:
    files = outcome.files
    found: dict[PanelSide, str | None] = {
        "before": files.before if files else None,
        "after": files.after if files else None,
    }
    return {side: path for side, path in found.items() if path is not None}


def _read(path: Path) -> bytes:
    return convert_to_png(read_file(str(path), DEFAULT_LIMITS), DEFAULT_LIMITS)
