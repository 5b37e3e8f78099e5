"""The contact sheets of a report: their order, and images that cannot be read."""

from pathlib import Path

import pytest
from PIL import Image

from visual_review.client.comparing.comparison import ComparedImages
from visual_review.client.comparing.contact_sheets import render_sheets
from visual_review.client.comparing.outcomes import Outcome
from visual_review.client.comparing.output_folder import OutputFolder
from visual_review.imagediff import compare_with_marks
from visual_review.imagediff.changes.analysis import analyze


def encode(path: Path, color: str, form: str = "PNG") -> bytes:
    Image.new("RGB", (200, 120), color).save(path, form)
    return path.read_bytes()


@pytest.fixture
def report(tmp_path: Path) -> OutputFolder:
    folder = OutputFolder(tmp_path / "report")
    folder.claim()
    return folder


def changed(report: OutputFolder, name: str, before: bytes, after: bytes) -> Outcome:
    verdict, marks = compare_with_marks(before, after)
    analysis = analyze(marks)
    images = (before, after)
    compared = ComparedImages(images, images, verdict, analysis, marks.pair.draw())
    files = report.write_change(name, compared)
    return Outcome(name, "changed", verdict, analysis, files=files)


def test_changed_new_and_removed_images_are_on_sheets(report: OutputFolder, tmp_path: Path) -> None:
    red, blue = (encode(tmp_path / f"{color}.png", color) for color in ("red", "blue"))
    outcomes = [changed(report, f"{number}.png", red, blue) for number in range(15)]
    outcomes += [
        Outcome("new.png", "new", files=report.write_single("new.png", "after", red)),
        Outcome("old.png", "removed", files=report.write_single("old.png", "before", red)),
        Outcome("same.png", "unchanged"),
        Outcome("bad.png", "failed", message="truncated"),
    ]
    assert report.write_sheets(outcomes, 2) == ["sheets/sheet-1.png", "sheets/sheet-2.png"]
    with Image.open(report.path / "sheets" / "sheet-1.png") as sheet:
        assert max(sheet.size) <= 1568


def test_a_new_image_that_is_damaged_is_left_out(report: OutputFolder, tmp_path: Path) -> None:
    red = encode(tmp_path / "red.png", "red")
    files = report.write_single("new.png", "after", red[:-20])
    damaged = Outcome("new.png", "new", files=files)
    assert report.write_sheets([damaged], 1) == []
    webp = report.write_single("fine.webp", "after", encode(tmp_path / "a.webp", "red", "WEBP"))
    fine = Outcome("fine.webp", "new", files=webp)
    assert len(list(render_sheets([damaged, fine], report.path, 1))) == 1


def test_there_are_none_without_composites(tmp_path: Path) -> None:
    folder = OutputFolder(tmp_path / "report", composites=False)
    folder.claim()
    red = encode(tmp_path / "red.png", "red")
    new = Outcome("new.png", "new", files=folder.write_single("new.png", "after", red))
    assert folder.write_sheets([new], 1) == []
    assert not (folder.path / "sheets").exists()
