"""The number of pages for the free memory."""

from pathlib import Path

import pytest

from visual_review.client.capture import run
from visual_review.client.capture.run import PAGE_BYTES, find_available_memory, fit_pages


@pytest.mark.parametrize(
    ("wanted", "available", "pages"),
    [
        (3, None, 3),
        (3, 3 * PAGE_BYTES, 3),
        (8, 3 * PAGE_BYTES - 1, 2),
        # One page is always opened: a page may need less.
        (3, 0, 1),
        (1, 0, 1),
    ],
)
def test_pages_beyond_the_memory_are_not_opened(
    wanted: int, available: int | None, pages: int
) -> None:
    found, sentence = fit_pages(wanted, available)
    assert found == pages
    assert bool(sentence) == (pages < wanted)
    assert not sentence or sentence.startswith(f"{pages} of {wanted} pages are open at once: only ")


def test_the_smallest_limit_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    texts = {
        "meminfo": "MemTotal: 9 kB\nMemAvailable:    4096 kB\n",
        "max": "3000\n",
        "used": "1000\n",
        # Of version 1, including the totals of groups below.
        "stat": "inactive_file 100\nactive_file 300\ntotal_inactive_file 400\n",
    }
    paths = {name: tmp_path / name for name in texts}
    for name, path in paths.items():
        path.write_text(texts[name])
    monkeypatch.setattr(run, "MACHINE", paths["meminfo"])
    monkeypatch.setattr(run, "GROUPS", ((paths["max"], paths["used"], paths["stat"]),))
    # Cached memory is free for pages.
    assert find_available_memory() == 2400
    paths["max"].write_text("max\n")
    assert find_available_memory() == 4096 << 10
    monkeypatch.setattr(run, "MACHINE", tmp_path / "none")
    assert find_available_memory() is None
