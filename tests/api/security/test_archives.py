"""Archives of test results cost no more than a fixed amount, however they are made."""

from pathlib import Path

import pytest

from tests.support.ci.reports import attachment, playwright, result, spec, touch, zip_bomb
from visual_review.client.recordings import playwright as playwright_module
from visual_review.client.recordings import traces
from visual_review.client.recordings.reports import find_videos

MEGABYTE = 1024 * 1024
LIMIT = 4 * MEGABYTE


def test_a_report_that_names_a_bomb_again_and_again_unpacks_a_fixed_amount(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An archive of 6 KB cost 14 s, once for each test of the report that named it."""
    unpacked = 0

    class CountingLimit(traces.UnpackLimit):
        def use(self, size: int) -> None:
            nonlocal unpacked
            unpacked += size
            super().use(size)

    monkeypatch.setattr(playwright_module, "UnpackLimit", lambda: CountingLimit(LIMIT))
    video = touch(tmp_path / "video.webm")
    bomb = zip_bomb(tmp_path / "trace.zip", entries=90, size=MEGABYTE)
    assert bomb.stat().st_size < 20_000
    attachments = [attachment(video), attachment(bomb, "trace", "application/zip")]
    steps = [{"title": "Open", "duration": 300}]
    results = [result(attachments=attachments, steps=steps, retry=retry) for retry in range(50)]
    report = playwright(tmp_path, spec("works", *results))
    found = find_videos(tmp_path, [report])
    assert unpacked < LIMIT + MEGABYTE
    assert all(each.steps[0].duration_ms == 300 for each in found.videos)
    assert any("approximate times" in note for note in found.notes)
