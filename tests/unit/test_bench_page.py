"""The tables of ``make bench-page``, its bars, and the images that it makes."""

import hashlib
from pathlib import Path

from benchmarks.page.images import PageRequest, change_page, draw_before, encode
from benchmarks.page.results import Scenario, ServerRow, TabRow
from benchmarks.page.seeding import VARIANTS, page_requests, story_id_of
from PIL import Image

SCENARIO = Scenario("12,000, 5 % changed", 0.1, is_warm=False)
MET = TabRow(
    SCENARIO,
    first_tile=0.9,
    all_tiles=1.2,
    longest_blank=0.2,
    shown=(0.02, 0.03, 5.0),
    saved=(0.24, 0.25, 0.9),
    next_change=(0.05, 0.1, 0.1),
    memory=399_000_000,
)
MISSED = TabRow(
    SCENARIO,
    first_tile=1.1,
    all_tiles=1.2,
    longest_blank=0.3,
    shown=(0.2, 0.2),
    saved=(0.26,),
    next_change=(0.11,),
    memory=401_000_000,
)


def test_a_visit_within_all_bars_misses_none() -> None:
    assert list(MET.missed()) == []


def test_every_missed_bar_is_named_with_its_scenario() -> None:
    lines = list(MISSED.missed())
    assert all(line.startswith(str(SCENARIO)) for line in lines)
    named = [line.removeprefix(f"{SCENARIO}: ").partition(",")[0] for line in lines]
    assert named == [
        "first tile 1100 ms",
        "longest blank 300 ms",
        "decision shown 200 ms",
        "decision saved 260 ms",
        "next change 110 ms",
        "401 MB",
    ]


def test_a_row_shows_medians_in_milliseconds() -> None:
    assert str(MET).split()[-7:] == ["900", "1200", "200", "30", "250", "100", "399"]


def test_requests_with_a_bar_may_miss_it() -> None:
    row = ServerRow("decision", "1,200", 0.2, 0.1, 12, 900, 0.15)
    assert list(row.missed()) == ["decision, 1,200: 200 ms, bar 150 ms"]
    assert list(ServerRow("index", "1,200", 9, 0.1, None, 900).missed()) == []


def write_capture(folder: Path, name: str) -> None:
    Image.new("RGB", (320, 240), "white").save(folder / name)


def test_no_two_screenshots_of_a_build_are_equal(tmp_path: Path) -> None:
    for variant in VARIANTS:
        write_capture(tmp_path, f"card--plain--{variant.theme}-{variant.device}.png")
    requests = list(page_requests(tmp_path, 60))
    assert len({(story_id_of(each.title), each.theme, each.device) for each in requests}) == 60
    pages = [draw_before(each) for each in requests]
    stories = {hashlib.sha256(encode(page)).hexdigest() for page in pages}
    # Of one story, those of a theme are equal here, because the captures are.
    assert len(stories) == 20
    for number, page in enumerate(pages):
        assert encode(change_page(page, number)) != encode(page)


def test_an_encoded_page_has_its_pixels(tmp_path: Path) -> None:
    write_capture(tmp_path, "a.png")
    page = draw_before(PageRequest(3, "Card/Plain", tmp_path / "a.png", "light", "phone"))
    (tmp_path / "b.png").write_bytes(encode(page))
    with Image.open(tmp_path / "b.png") as image:
        assert image.tobytes() == page.tobytes()
