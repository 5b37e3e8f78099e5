"""Archives of test results cost no more than a fixed amount, whatever their contents."""

from pathlib import Path

import pytest

from tests.support.ci.reports import attachment, playwright, result, spec, touch, zip_bomb
from visual_review.client.recordings import files, report_formats, traces
from visual_review.client.recordings.report_formats import find_videos

MEGABYTE = 1024 * 1024
LIMIT = 4 * MEGABYTE


def test_a_report_that_names_a_bomb_again_and_again_unpacks_a_fixed_amount(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An archive of 6 KB cost 14 s, once for each test of the report with its name."""
    unpacked = 0

    class CountingLimit(traces.UnpackLimit):
        def use(self, size: int) -> None:
            nonlocal unpacked
            unpacked += size
            super().use(size)

    monkeypatch.setattr(files, "UnpackLimit", lambda: CountingLimit(LIMIT))
    video = touch(tmp_path / "video.webm")
    bomb = zip_bomb(tmp_path / "trace.zip", entries=90, size=MEGABYTE)
    assert bomb.stat().st_size < 200_000
    attachments = [attachment(video), attachment(bomb, "trace", "application/zip")]
    steps = [{"title": "Open", "duration": 300}]
    results = [result(attachments=attachments, steps=steps, retry=retry) for retry in range(50)]
    # Two reports do not have a limit each.
    first = playwright(tmp_path, spec("works", *results))
    second = first.rename(tmp_path / "second.json")
    found = find_videos(tmp_path, [playwright(tmp_path, spec("works", *results)), second])
    assert unpacked < LIMIT + MEGABYTE
    assert all(each.steps[0].duration_ms == 300 for each in found.videos)
    assert any("approximate times" in note for note in found.notes)


def test_found_reports_are_read_up_to_a_size_in_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    touch(tmp_path / "video.webm")
    for number in range(5):
        touch(tmp_path / f"{number}.json", b'{"x": 1}')
    monkeypatch.setattr(report_formats, "MOST_OF_FOUND_REPORTS", 25)
    found = find_videos(tmp_path, [])
    assert len(found.videos) == 1
    assert [note for note in found.notes if "3.json and later files" in note]
