"""Sheets of a report: all changes, with alike ones next to each other."""

from dataclasses import replace
from pathlib import Path

import pytest

from tests.support.images import draw
from visual_review.client.comparing.errors import UnreadableFileError
from visual_review.client.comparing.outcomes import Outcome, ReportFiles, Results
from visual_review.client.comparing.sheets import plan_sheets, render_sheet
from visual_review.client.comparing.threads import MemoryLimit
from visual_review.imagediff import probe
from visual_review.imagediff.changes.grouping import Group
from visual_review.imagediff.changes.model import NOTHING_CHANGED
from visual_review.imagediff.rendering.thumbnails import MOST_BYTES

SIZE = (200, 100)
LONG_SIDE = 1568


def make_changed(name: str, severity: float) -> Outcome:
    analysis = replace(NOTHING_CHANGED, kind="pixels", summary="something", severity=severity)
    files = ReportFiles(before=f"before/{name}", after=f"after/{name}")
    return Outcome(name, "changed", analysis=analysis, sizes=(SIZE, SIZE), files=files)


def make_results() -> Results:
    changed = [make_changed(f"{number}.png", number / 100) for number in range(16)]
    names = [each.name for each in changed]
    groups = [
        Group("a", "alike", "pixels", tuple(names[:15])),
        Group("b", "worse", "pixels", tuple(names[15:])),
    ]
    new = Outcome("new.jpg", "new", sizes=(SIZE,), files=ReportFiles(after="after/new.jpg"))
    return Results([new, *changed, Outcome("same.png", "unchanged")], groups)


def test_images_are_divided_by_groups_the_worst_first() -> None:
    sheets = plan_sheets(make_results())
    names = [outcome.name for sheet in sheets for outcome in sheet.outcomes]
    assert names == ["15.png", *(f"{number}.png" for number in range(15)), "new.jpg"]
    numbers = [cell.entry.number for sheet in sheets for cell, _, _ in sheet.plan.cells]
    assert numbers == list(range(1, 18))
    assert plan_sheets(Results([Outcome("same.png", "unchanged")], [])) == []


def test_a_sheet_is_rendered_from_the_images_of_the_report(tmp_path: Path) -> None:
    results = make_results()
    for outcome in results.outcomes[1:17]:
        draw(tmp_path / "before" / outcome.name, size=SIZE)
        draw(tmp_path / "after" / outcome.name, (5, 5), size=SIZE)
    draw(tmp_path / "after" / "new.jpg", size=SIZE)
    for sheet in plan_sheets(results):
        rendered = render_sheet(sheet, tmp_path, MemoryLimit(1))
        found = probe(rendered.data)
        assert max(found.width, found.height) <= LONG_SIDE
        assert len(rendered.data) <= MOST_BYTES
    (tmp_path / "after" / "new.jpg").unlink()
    with pytest.raises(UnreadableFileError):
        render_sheet(plan_sheets(results)[-1], tmp_path, MemoryLimit(1))
