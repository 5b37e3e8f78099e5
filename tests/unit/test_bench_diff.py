"""The arithmetic of the benchmark of comparisons, and that its pairs differ as their names say."""

import io
from collections.abc import Mapping, Sequence

import numpy as np
import pytest
from benchmarks.bench_diff import read_options
from benchmarks.diff.changes import compute_changes_bars, format_changes_row
from benchmarks.diff.command_line import DIFF, HELP
from benchmarks.diff.engines import Sample
from benchmarks.diff.folder import FolderTime
from benchmarks.diff.kinds import (
    FRAME,
    KINDS,
    RE_ENCODED,
    SHIFT,
    Pixels,
    add_frame,
    change_box,
    change_points,
    encode_unfiltered,
    make_noise,
    shift_down,
    widen,
)
from benchmarks.diff.memory import MemoryUse
from benchmarks.diff.names import ANALYZED, BLAZEDIFF, ODIFF, OURS, PIXELMATCH, REG_CLI
from benchmarks.diff.results import (
    WRITTEN,
    Row,
    compute_bars,
    format_row,
    spread,
    summarize_bars,
    summarize_counts,
)
from benchmarks.diff.totals import (
    MEBIBYTE,
    compute_command_bars,
    compute_folder_bars,
    compute_memory_bars,
    compute_noise_bars,
    format_commands,
    format_folder,
    format_memory,
    format_noise,
)
from PIL import Image

WIDTH, HEIGHT = 200, 100


def make_page() -> Pixels:
    return make_noise(WIDTH, HEIGHT, seed=3)


def make_row(cpu: Mapping[str, Sequence[float]], different: Mapping[str, int] | None = None) -> Row:
    return Row("1440x900 rgb text", WRITTEN, cpu, different or {})


def missed(*rows: Row) -> list[str]:
    return [str(bar) for bar in compute_bars(rows) if bar.missed]


def test_odiff_must_take_twice_our_time() -> None:
    assert missed(make_row({OURS: [1.0, 1.0], ODIFF: [2.0, 2.1]})) == []
    (line,) = missed(make_row({OURS: [1.0, 1.0], ODIFF: [1.9, 2.0]}))
    assert line == (
        "MISSED: 1440x900 rgb text, written: odiff takes 1.95 times our CPU time, bar 2.0, aim 3.0"
    )


def test_blazediff_must_take_a_fifth_more_than_ours() -> None:
    assert missed(make_row({OURS: [1.0], BLAZEDIFF: [1.2]})) == []
    (line,) = missed(make_row({OURS: [1.0], BLAZEDIFF: [1.19]}))
    assert "blazediff takes 1.19 times our CPU time, bar 1.2" in line


def test_pixelmatch_has_no_bar_for_its_time() -> None:
    assert compute_bars([make_row({OURS: [1.0], PIXELMATCH: [0.1]})]) == []


def test_a_slow_moment_of_the_machine_affects_no_ratio() -> None:
    row = make_row({OURS: [1.0, 10.0, 1.0], ODIFF: [3.0, 30.0, 3.0]})
    assert row.ratios(ODIFF) == [3.0, 3.0, 3.0]


def test_a_missed_aim_is_reported_and_misses_no_bar() -> None:
    bars = compute_bars([make_row({OURS: [1.0], ODIFF: [2.5]}), make_row({OURS: [1], ODIFF: [3]})])
    lines = summarize_bars(bars)
    assert [line.split(":")[0] for line in lines] == ["met, aim missed", "2 of 2 bars met"]


def test_another_count_than_pixelmatch_is_a_missed_bar() -> None:
    equal = make_row({OURS: [1.0]}, {OURS: 354, PIXELMATCH: 354, ODIFF: 303})
    other = make_row({OURS: [1.0]}, {OURS: 353, PIXELMATCH: 354, ODIFF: 303})
    assert missed(equal) == []
    (line,) = missed(other)
    assert "353 pixels differ, 354 by pixelmatch" in line
    assert summarize_counts([equal, other]) == [
        "ours: as many pixels as pixelmatch in 1 of 2 rows",
        "odiff: as many pixels as pixelmatch in 0 of 2 rows",
    ]


def test_the_table_shows_medians_and_spreads_and_what_was_left_out() -> None:
    row = make_row({OURS: [0.001, 0.002, 0.005], ODIFF: [0.004, 0.008, 0.010]})
    assert format_row(row).split() == [
        *("1440x900", "rgb", "text", "written"),
        *("2.0", "±1.0", "8.0", "±1.5", "-", "-"),
        *("4.00", "(2.0-4.0)", "-"),
    ]


def test_what_changed_may_take_half_more_than_odiff_and_nothing_for_equal_pairs() -> None:
    fast = {OURS: [1.0, 1.0], ANALYZED: [1.19, 1.2], ODIFF: [0.9, 0.9]}
    slow = {OURS: [1.0, 1.0], ANALYZED: [1.25, 1.2], ODIFF: [0.8, 0.8]}
    for different, words in ((7, "1.53 times odiff's CPU time"), (0, "takes 1.23 times the CPU")):
        bars = compute_changes_bars([make_row(cpu, {OURS: different}) for cpu in (fast, slow)])
        assert [bar.missed for bar in bars] == [False, True]
        assert words in str(bars[1])
    assert compute_changes_bars([make_row({OURS: [1.0], ANALYZED: [9.0]}, {OURS: 7})]) == []
    assert format_changes_row(make_row(fast)).split()[-4:] == [
        "1.19",
        "(1.2-1.2)",
        "1.33",
        "(1.3-1.3)",
    ]


def test_the_spread_is_half_the_distance_between_the_quartiles() -> None:
    assert spread([1.0, 2.0, 3.0, 4.0, 100.0]) == 1.0
    assert spread([5.0]) == 0.0


def test_folders_are_compared_with_the_fastest_that_got_the_same_check() -> None:
    times = {
        OURS: [FolderTime(1.0, 1.0)],
        ODIFF: [FolderTime(1.6, 2.0)],
        BLAZEDIFF: [FolderTime(1.4, 2.0)],
        REG_CLI: [FolderTime(0.1, None)],
    }
    (bar,) = compute_folder_bars(times)
    assert str(bar) == "MISSED: folders: blazediff takes 1.40 times our time, bar 1.5"
    assert compute_folder_bars({OURS: times[OURS]}) == []
    assert "1,000 pairs" in format_folder(times, 1000)[0]
    assert format_folder(times, 1000)[1].split() == ["ours", "1.00", "±0.00", "1,000", "1.00"]
    assert format_folder(times, 1000)[-1].split() == ["reg-cli", "0.10", "±0.00", "10,000", "-"]


@pytest.mark.parametrize(("diff", "result"), [(0.50, "met"), (0.66, "MISSED")])
def test_a_pair_by_the_command_line_may_take_little_more_than_help(
    diff: float, result: str
) -> None:
    times = {HELP: [0.5, 0.4, 0.6], DIFF: [diff, diff - 0.1, diff + 0.1]}
    (bar,) = compute_command_bars(times)
    assert str(bar).startswith(result)
    assert len(format_commands(times)) == 3


@pytest.mark.parametrize(("bits", "mebibytes"), [(8, 42), (16, 52)])
def test_memory_may_grow_with_the_pixels_and_their_depth(bits: int, mebibytes: int) -> None:
    uses = [
        MemoryUse(
            name="page",
            pixels=MEBIBYTE,
            bits=bits,
            written=True,
            idle=7 * MEBIBYTE,
            peak=7 * MEBIBYTE + added,
        )
        for added in (mebibytes * MEBIBYTE - 1, mebibytes * MEBIBYTE)
    ]
    assert [bar.missed for bar in compute_memory_bars(uses)] == [False, True]
    assert format_memory(uses)[1].split() == ["page", "written", "7", *[str(mebibytes)] * 2]


@pytest.mark.parametrize(("wall", "result"), [(1.49, "met"), (1.5, "MISSED")])
def test_noise_must_be_compared_in_time(wall: float, result: str) -> None:
    samples = {OURS: [Sample(cpu=9.0, wall=wall, different=7)]}
    (bar,) = compute_noise_bars(samples)
    assert str(bar).startswith(result)
    assert format_noise(samples)[1].split() == ["ours", f"{wall:.2f}", "9.00", "7"]


def test_points_change_one_pixel_in_a_thousand() -> None:
    page = make_page()
    assert np.count_nonzero((change_points(page) != page).any(axis=2)) == WIDTH * HEIGHT // 1000


def test_the_box_covers_a_twentieth_in_the_middle() -> None:
    page = make_page()
    changed = (change_box(page) != page).any(axis=2)
    rows, columns = (np.flatnonzero(changed.any(axis=axis)) for axis in (1, 0))
    assert len(rows) * len(columns) / changed.size == pytest.approx(0.05, rel=0.1)
    assert rows[0] + rows[-1] == pytest.approx(HEIGHT, abs=2)
    assert columns[0] + columns[-1] == pytest.approx(WIDTH, abs=2)


def test_a_shifted_page_keeps_its_size() -> None:
    page = make_page()
    shifted = shift_down(page)
    assert shifted.shape == page.shape
    assert np.array_equal(shifted[SHIFT:], page[:-SHIFT])


def test_a_framed_page_is_transparent_only_near_its_edges() -> None:
    page = make_page()
    framed = add_frame(page)
    inner = framed[FRAME:-FRAME, FRAME:-FRAME]
    assert np.array_equal(inner[:, :, :3], page[FRAME:-FRAME, FRAME:-FRAME])
    assert (inner[:, :, 3] == 255).all()
    assert framed.sum() == inner.sum(dtype=np.uint64)


def test_unfiltered_files_have_the_same_pixels() -> None:
    page = make_page()
    for pixels in (page, add_frame(page)):
        with Image.open(io.BytesIO(encode_unfiltered(pixels))) as image:
            assert np.array_equal(np.asarray(image), pixels)


def test_wide_files_have_the_same_colors_in_16_bits() -> None:
    page = make_page()
    data = encode_unfiltered(widen(page))
    assert data[24] == 16
    with Image.open(io.BytesIO(data)) as image:
        assert np.array_equal(np.asarray(image.convert("RGB")), page)


def test_everything_is_measured_unless_less_was_asked_for() -> None:
    everything = read_options([])
    assert everything.kinds == list(KINDS)
    assert everything.real
    some = read_options(["--kinds", ",".join(RE_ENCODED), "--no-real", "--parts", "memory"])
    assert (some.kinds, some.real, some.parts) == (list(RE_ENCODED), False, ["memory"])
    with pytest.raises(SystemExit):
        read_options(["--kinds", "everything"])
