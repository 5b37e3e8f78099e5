"""Decompression bombs, each in a process of its own with limited memory and time."""

import functools
import struct
import subprocess
import sys
import zlib
from pathlib import Path

import pytest

from tests.support.case import Case
from tests.support.imagediff.measured_reading import ReadingResult, read_measured
from tests.support.imagediff.png_writer import SIGNATURE, chunk, header, raw_png

pytestmark = [
    pytest.mark.skipif(sys.platform != "linux", reason="memory is read from /proc"),
    pytest.mark.usefixtures("each_engine"),
]

MIB = 1024 * 1024
HUGE = 400 * MIB
# A forked process has about 25 MiB in its memory before the first byte is read.
SMALL = 100


@functools.cache
def zeros(size: int) -> bytes:
    """Return a zlib stream of zero bytes, joined from equal pieces."""
    piece, rest = (
        packer.compress(bytes(length)) + packer.flush(mode)
        for packer, length, mode in (
            (zlib.compressobj(9, wbits=-15), MIB, zlib.Z_FULL_FLUSH),
            (zlib.compressobj(9, wbits=-15), size % MIB, zlib.Z_FINISH),
        )
    )
    checksum = (size % 65521) << 16 | 1
    return b"\x78\xda" + piece * (size // MIB) + rest + struct.pack(">I", checksum)


BOMBS = {
    "a small image followed by much data": (
        lambda: raw_png(header(8, 8), zeros(HUGE)),
        "more than the header announces",
    ),
    "rows of a tall strip with much behind them": (
        lambda: raw_png(header(1, 30_000), zeros(HUGE)),
        "more than the header announces",
    ),
    "a strip of 1 x 70000 with much behind it": (
        lambda: raw_png(header(1, 70_000), zeros(HUGE)),
        "at most 65,535 pixels a side",
    ),
    "a giant of 2 GP": (
        lambda: raw_png(header(46_000, 46_000, 1, 0), zeros(265 * MIB)),
        "at most 100,000,000 are supported",
    ),
    "a header of 49 MP over too little data": (
        lambda: raw_png(header(7000, 7000, 8, 0), zeros(40 * MIB) + bytes(MIB)),
        "bytes of the image are missing",
    ),
    "an interlaced header of 49 MP over too little data": (
        lambda: raw_png(header(7000, 7000, 8, 0, 1), zeros(1 * MIB) + bytes(MIB)),
        "bytes of the image are missing",
    ),
    "a text chunk that would unpack to much": (
        lambda: raw_png(header(8, 8), b"", chunk(b"zTXt", b"Title\0\0" + zeros(HUGE))),
        "bytes of the image are missing",
    ),
    "a color profile that would unpack to much data": (
        lambda: raw_png(header(8, 8), b"", chunk(b"iCCP", b"Title\0\0" + zeros(HUGE))),
        "bytes of the image are missing",
    ),
    "a million empty chunks": (
        lambda: SIGNATURE + header(8, 8) + chunk(b"IDAT") * 1_000_000 + chunk(b"IEND"),
        "more than 100,000 chunks",
    ),
    "a stream of a million blocks that hold nothing": (
        lambda: raw_png(header(8, 8), b"\x78\x01" + b"\0\0\0\xff\xff" * 1_000_000),
        "bytes of the image are missing",
    ),
}


PASSED_BY_THE_PROBE = "a bomb that is probed"
LONG_PAGE = "a long page"


@pytest.fixture(scope="module")
def readings(
    each_engine: str,  # noqa: ARG001 - The processes inherit its choice.
    tmp_path_factory: pytest.TempPathFactory,
) -> dict[str, ReadingResult]:
    files = {name: ("decode", make()) for name, (make, _) in BOMBS.items()}
    files[PASSED_BY_THE_PROBE] = ("probe", raw_png(header(8, 8), zeros(HUGE)))
    files[LONG_PAGE] = ("decode", raw_png(header(1440, 20_000), zeros(20_000 * 5761)))
    return read_measured(files, tmp_path_factory.mktemp("images"))


def test_a_bomb_is_refused_within_its_bounds(
    case: Case, readings: dict[str, ReadingResult]
) -> None:
    for name, (_, words) in BOMBS.items():
        with case(name):
            assert words in readings[name].outcome
            # Only an interlaced image is in memory completely during hashing.
            assert readings[name].memory < (SMALL + 200 if "interlaced" in name else SMALL)


def test_a_bomb_passes_the_probe_untouched(readings: dict[str, ReadingResult]) -> None:
    assert readings[PASSED_BY_THE_PROBE].outcome == "read"
    assert readings[PASSED_BY_THE_PROBE].memory < SMALL


def test_a_long_page_is_digested_in_the_memory_of_a_band(
    readings: dict[str, ReadingResult],
) -> None:
    assert readings[LONG_PAGE].outcome == "read"
    assert readings[LONG_PAGE].memory < SMALL


COMPARER = """
import pathlib, sys
from visual_review.imagediff import Options, Region, compare_and_render
before, after = (pathlib.Path(name).read_bytes() for name in sys.argv[1:])
compared = compare_and_render(before, after, Options(regions=(Region(0, 0, 1, 0.01),)))
print(compared.verdict.diff_pixels)
status = pathlib.Path("/proc/self/status").read_text()
print(int(status.split("VmHWM:")[1].split()[0]) // 1024)
"""


def test_a_page_of_10_000_rows_is_compared_and_rendered_under_300_mib(tmp_path: Path) -> None:
    row = b"\0" + b"\xff" * 1440 * 4
    marked = b"\0" + b"\0\0\0\xff" * 1440
    head = header(1440, 10_000)
    files = [tmp_path / "before.png", tmp_path / "after.png"]
    files[0].write_bytes(raw_png(head, zlib.compress(row * 10_000, 1)))
    changed = row * 5_000 + marked * 500 + row * 4_500
    files[1].write_bytes(raw_png(head, zlib.compress(changed, 1)))
    run = subprocess.run(
        [sys.executable, "-c", COMPARER, *map(str, files)],
        capture_output=True,
        text=True,
        check=True,
    )
    count, memory = map(int, run.stdout.split())
    assert count == 1440 * 500
    assert memory < 300
