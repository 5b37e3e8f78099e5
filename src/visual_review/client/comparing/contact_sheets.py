"""Render the contact sheets of a comparison; imported when there is something to be rendered.

The images are those that were written to the report, so that no more of them are in memory than one
of each thread.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Final

from visual_review.client.comparing.memory_limit import MemoryLimit, usable_memory
from visual_review.client.comparing.other_formats import convert_to_png
from visual_review.client.comparing.outcomes import Outcome
from visual_review.client.comparing.screenshot_names import parse_name
from visual_review.client.comparing.threads import map_in_order
from visual_review.imagediff import DEFAULT_LIMITS, ImageError, hash_pixels, probe
from visual_review.imagediff.composite_plan import Panel
from visual_review.imagediff.contact_sheet import render_contact_sheet
from visual_review.imagediff.contact_sheet_plan import SheetEntry, plan_sheet, split_into_sheets
from visual_review.imagediff.encoding import RenderedImage
from visual_review.imagediff.memory import rendering_memory
from visual_review.imagediff.outlines import PanelSide

# In this order on the sheets; of changed ones, the worst come first.
SHEET_STATES: Final = ("changed", "new", "removed")


@dataclass(frozen=True, slots=True)
class _Shown:
    """An image on a sheet, and the files of its panels."""

    entry: SheetEntry
    files: tuple[Path, ...]


def render_sheets(
    outcomes: Sequence[Outcome], folder: Path, threads: int
) -> Iterator[RenderedImage]:
    """Yield the sheets of a report whose images are in ``folder``. Raises OSError."""
    shown = list(_list_shown(outcomes, folder))
    parts = split_into_sheets(len(shown))
    sheets = [shown[part.start : part.stop] for part in parts]
    headings = [
        f"Sheet {number} of {len(parts)}, {part.start + 1} to {part.stop} of {len(shown)}"
        for number, part in enumerate(parts, 1)
    ]
    work = partial(_render, memory=MemoryLimit(usable_memory()))
    yield from map_in_order(work, list(zip(headings, sheets, strict=True)), threads, _ignore)


def _list_shown(outcomes: Sequence[Outcome], folder: Path) -> Iterator[_Shown]:
    number = 0
    for outcome in sorted(outcomes, key=_sort_key):
        paths = _list_files(outcome, folder)
        if outcome.state in SHEET_STATES and paths:
            number += 1
            yield _describe(number, outcome, paths)


def _sort_key(outcome: Outcome) -> tuple[int, float, str]:
    states = (*SHEET_STATES, outcome.state)
    severity = outcome.analysis.severity if outcome.analysis else 0
    return states.index(outcome.state), -severity, outcome.name


def _list_files(outcome: Outcome, folder: Path) -> dict[PanelSide, Path]:
    """Return the files of a pair, or of one image if it can be read."""
    if outcome.files is None:
        return {}
    files: dict[PanelSide, str | None] = {
        "before": outcome.files.before,
        "after": outcome.files.after,
    }
    paths = {side: folder / name for side, name in files.items() if name is not None}
    # Of these, only the header was read so far.
    if len(paths) == 1 and not all(map(_is_readable, paths.values())):
        return {}
    return paths


def _is_readable(path: Path) -> bool:
    try:
        hash_pixels(_load(path), DEFAULT_LIMITS)
    except ImageError:
        return False
    return True


def _describe(number: int, outcome: Outcome, paths: dict[PanelSide, Path]) -> _Shown:
    name = parse_name(outcome.name)
    *folders, last = name.story.split("/")
    title = last if not folders or last.startswith(folders[-1]) else f"{folders[-1]}/{last}"
    variant = ", ".join(part for part in (name.theme, name.device) if part)
    analysis, verdict = outcome.analysis, outcome.verdict
    entry = SheetEntry(
        number=number,
        title=title,
        variant=variant or outcome.state,
        summary=analysis.summary if analysis else outcome.state.capitalize(),
        panels=tuple(_make_panel(side, path) for side, path in paths.items()),
        boxes=verdict.boxes if verdict else (),
        changes=analysis.changes if analysis else (),
    )
    return _Shown(entry, tuple(paths.values()))


def _make_panel(side: PanelSide, path: Path) -> Panel:
    info = probe(_load(path), DEFAULT_LIMITS)
    return Panel(side.capitalize(), info.width, info.height, side)


def _render(sheet: tuple[str, Sequence[_Shown]], memory: MemoryLimit) -> RenderedImage:
    heading, shown = sheet
    plan = plan_sheet([each.entry for each in shown])
    loaders: list[list[Callable[[], bytes]]] = [
        [partial(_load, path) for path in each.files] for each in shown
    ]
    sizes = [(panel.width, panel.height) for each in shown for panel in each.entry.panels]
    with memory.reserve(max(map(rendering_memory, sizes))):
        return render_contact_sheet(plan, heading, loaders, DEFAULT_LIMITS)


def _load(path: Path) -> bytes:
    return convert_to_png(path.read_bytes(), DEFAULT_LIMITS)


def _ignore(_done: int) -> None:
    """The progress of the comparison has ended by now."""
