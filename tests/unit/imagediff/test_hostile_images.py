"""Bombs, each in a process of its own whose memory and processor time are capped."""

import functools
import os
import subprocess
import sys
import zlib
from pathlib import Path

import pytest

from tests.unit.imagediff.png_writer import SIGNATURE, chunk, header, raw_png

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="memory is read from /proc")

MIB = 1024 * 1024
HUGE = 400 * MIB
# Python, numpy and Pillow take about 45 MiB before the first byte is read.
SMALL = 120

READER = """
import pathlib, resource, sys
resource.setrlimit(resource.RLIMIT_CPU, (20, 20))
from visual_review.imagediff import ImageError, pixels_sha256, probe
data = pathlib.Path(sys.argv[1]).read_bytes()
try:
    if sys.argv[2] == "probe":
        probe(data)
    else:
        pixels_sha256(data)
    print("read")
except ImageError as error:
    print(type(error).__name__, error)
# The kernel's rusage would count what the parent had before this program was loaded.
status = pathlib.Path("/proc/self/status").read_text()
print(int(status.split("VmHWM:")[1].split()[0]) // 1024)
"""


@functools.cache
def zeros(size: int) -> bytes:
    packer = zlib.compressobj(9)
    block = bytes(MIB)
    parts = [packer.compress(block) for _ in range(size // MIB)]
    return b"".join([*parts, packer.compress(bytes(size % MIB)), packer.flush()])


def read_apart(data: bytes, folder: Path, how: str = "decode") -> tuple[str, int]:
    """Return what reading said and the most memory it took, in MiB."""
    file = folder / "image.png"
    file.write_bytes(data)
    run = subprocess.run(
        [sys.executable, "-W", "error", "-c", READER, str(file), how],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "OPENBLAS_NUM_THREADS": "1"},
    )
    assert run.stderr == ""
    said, memory = run.stdout.splitlines()
    return said, int(memory)


BOMBS = {
    "a small picture with much behind it": (
        lambda: raw_png(header(8, 8), zeros(HUGE)),
        "more than the header announces",
    ),
    "rows of a tall strip with much behind them": (
        lambda: raw_png(header(1, 30_000), zeros(HUGE)),
        "more than the header announces",
    ),
    "a strip of 1 x 60000 with much behind it": (
        lambda: raw_png(header(1, 60_000), zeros(HUGE)),
        "at most 32,768 a side",
    ),
    "a giant of 2 GP": (
        lambda: raw_png(header(46_000, 46_000, 1, 0), zeros(265 * MIB)),
        "at most 32,768 a side",
    ),
    "a header of 49 MP over too little data": (
        lambda: raw_png(header(7000, 7000, 8, 0), zeros(40 * MIB) + bytes(MIB)),
        "bytes of the picture are missing",
    ),
    "an interlaced header of 49 MP over too little data": (
        lambda: raw_png(header(7000, 7000, 8, 0, 1), zeros(1 * MIB) + bytes(MIB)),
        "bytes of the picture are missing",
    ),
    "a text chunk that would unpack to much": (
        lambda: raw_png(header(8, 8), b"", chunk(b"zTXt", b"Title\0\0" + zeros(HUGE))),
        "bytes of the picture are missing",
    ),
    "a colour profile that would unpack to much": (
        lambda: raw_png(header(8, 8), b"", chunk(b"iCCP", b"Title\0\0" + zeros(HUGE))),
        "bytes of the picture are missing",
    ),
    "a million empty chunks": (
        lambda: SIGNATURE + header(8, 8) + chunk(b"IDAT") * 1_000_000 + chunk(b"IEND"),
        "more than 100,000 chunks",
    ),
    "a stream of a million blocks that hold nothing": (
        lambda: raw_png(header(8, 8), b"\x78\x01" + b"\0\0\0\xff\xff" * 1_000_000),
        "bytes of the picture are missing",
    ),
}


@pytest.mark.parametrize("name", BOMBS)
def test_a_bomb_is_refused_within_its_bounds(name: str, tmp_path: Path) -> None:
    make, words = BOMBS[name]
    said, memory = read_apart(make(), tmp_path)
    assert words in said
    # Only an interlaced picture is held whole while it is digested.
    assert memory < (SMALL + 200 if "interlaced" in name else SMALL)


def test_a_bomb_passes_the_probe_untouched(tmp_path: Path) -> None:
    said, memory = read_apart(raw_png(header(8, 8), zeros(HUGE)), tmp_path, "probe")
    assert said == "read"
    assert memory < SMALL


def test_a_long_page_is_digested_in_the_memory_of_a_band(tmp_path: Path) -> None:
    said, memory = read_apart(raw_png(header(1440, 20_000), zeros(20_000 * 5761)), tmp_path)
    assert said == "read"
    assert memory < SMALL


COMPARER = """
import pathlib, sys
from visual_review.imagediff import Options, Region, compare_and_draw
before, after = (pathlib.Path(name).read_bytes() for name in sys.argv[1:])
compared = compare_and_draw(before, after, Options(regions=(Region(0, 0, 1, 0.01),)))
print(compared.verdict.diff_pixels)
status = pathlib.Path("/proc/self/status").read_text()
print(int(status.split("VmHWM:")[1].split()[0]) // 1024)
"""


def test_a_long_page_is_compared_and_drawn_under_600_mib(tmp_path: Path) -> None:
    row = b"\0" + b"\xff" * 1440 * 4
    marked = b"\0" + b"\0\0\0\xff" * 1440
    head = header(1440, 20_000)
    files = [tmp_path / "before.png", tmp_path / "after.png"]
    files[0].write_bytes(raw_png(head, zlib.compress(row * 20_000, 1)))
    changed = row * 10_000 + marked * 500 + row * 9_500
    files[1].write_bytes(raw_png(head, zlib.compress(changed, 1)))
    run = subprocess.run(
        [sys.executable, "-c", COMPARER, *map(str, files)],
        capture_output=True,
        text=True,
        check=True,
    )
    count, memory = map(int, run.stdout.split())
    assert count == 1440 * 500
    assert memory < 600
