"""Render contact sheets of what changed; imported when something is to be rendered.

Images that changed alike follow each other, so that one sheet often shows a whole group.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Final

from visual_review.client.comparing.change_groups import parse_name
from visual_review.client.comparing.memory_limit import MemoryLimit
from visual_review.client.comparing.other_formats import convert_to_png
from visual_review.client.comparing.outcomes import Outcome, Results
from visual_review.client.comparing.reading import read_file
from visual_review.client.terminal import printable
from visual_review.imagediff import DEFAULT_LIMITS
from visual_review.imagediff.memory import rendering_memory
from visual_review.imagediff.rendering.composite_plan import Panel
from visual_review.imagediff.rendering.contact_sheet import render_contact_sheet
from visual_review.imagediff.rendering.contact_sheet_plan import (
    SheetEntry,
    plan_sheet,
    split_into_sheets,
)
from visual_review.imagediff.rendering.encoding import RenderedImage
from visual_review.imagediff.rendering.outlines import PanelSide

PANEL_NAMES: Final[dict[PanelSide, str]] = {"before": "Before", "after": "After"}


@dataclass(frozen=True, slots=True)
class ContactSheet:
    """One of the sheets: ``first`` is the number of its first image."""

    heading: str
    first: int
    outcomes: tuple[Outcome, ...]


def plan_contact_sheets(results: Results) -> list[ContactSheet]:
    """Divide the images that changed, are new or were removed; an empty list if none is."""
    shown = list(_list_shown(results))
    parts = split_into_sheets(len(shown))
    return [
        ContactSheet(
            f"Sheet {number} of {len(parts)}, {part.start + 1} to {part.stop} of {len(shown)}",
            part.start + 1,
            tuple(shown[part.start : part.stop]),
        )
        for number, part in enumerate(parts, 1)
    ]


def render_sheet(sheet: ContactSheet, folder: Path, memory: MemoryLimit) -> RenderedImage:
    """Render a sheet from the images of a report. Raises ImageError and UnreadableFileError."""
    entries = [_make_entry(at, each) for at, each in enumerate(sheet.outcomes, sheet.first)]
    readers = [
        [partial(_read, folder / path) for _, path in _list_files(outcome)]
        for outcome in sheet.outcomes
    ]
    largest = max(rendering_memory(size) for outcome in sheet.outcomes for size in outcome.sizes)
    with memory.reserve(largest):
        return render_contact_sheet(plan_sheet(entries), sheet.heading, readers)


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
    analysis = outcome.analysis
    sides = [side for side, _ in _list_files(outcome)]
    return SheetEntry(
        number=number,
        title=printable(name.story.rpartition("/")[2] or path.name),
        variant=printable(variant or path.parent.name or "."),
        summary=printable(analysis.summary) if analysis else outcome.state.capitalize(),
        panels=tuple(
            Panel(PANEL_NAMES[side], *size, side)
            for side, size in zip(sides, outcome.sizes, strict=True)
        ),
        boxes=outcome.verdict.boxes if outcome.verdict else (),
        changes=analysis.changes if analysis else (),
    )


def _list_files(outcome: Outcome) -> list[tuple[PanelSide, str]]:
    files = outcome.files
    sides: tuple[tuple[PanelSide, str | None], ...] = (
        ("before", files.before if files else None),
        ("after", files.after if files else None),
    )
    return [(side, path) for side, path in sides if path is not None]


def _read(path: Path) -> bytes:
    return convert_to_png(read_file(str(path), DEFAULT_LIMITS), DEFAULT_LIMITS)
