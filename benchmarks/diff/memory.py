"""The peak memory of a process for one pair, in addition to the idle memory."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from PIL import Image

from benchmarks.diff.engines import Program, WarmProcess
from benchmarks.diff.installation import FOLDER
from benchmarks.diff.kinds import add_frame, encode_unfiltered, widen
from benchmarks.diff.pages import Pair, page_path

SIZE = "1280x6000"
MEASURED = ("re-encoded", "points", "shifted", "theme")
# Memory kept between pairs must not grow with the number of pairs.
REPEATS = 3
WIDE = FOLDER / "wide"


@dataclass(frozen=True)
class MemoryUse:
    """Peak and idle memory of a fresh process, in bytes, for images of so many pixels."""

    name: str
    pixels: int
    bits: int
    written: bool
    idle: int
    peak: int

    @property
    def added(self) -> int:
        return self.peak - self.idle


def measure_memory(program: Program) -> list[MemoryUse]:
    return [
        _measure(program, name, pair, bits, output)
        for name, bits, pair in _list_pairs()
        for output in (None, FOLDER / "output" / "memory.png")
    ]


def _list_pairs() -> Iterator[tuple[str, int, Pair]]:
    for form in ("rgb", "rgba"):
        for kind in MEASURED:
            pair = Pair(page_path(SIZE, form, "before"), page_path(SIZE, form, kind))
            yield f"{SIZE} {form} {kind}", 8, pair
    yield f"{SIZE} 16-bit rgba theme", 16, Pair(_write_wide("before"), _write_wide("theme"))


def _write_wide(name: str) -> Path:
    path = WIDE / f"{name}.png"
    WIDE.mkdir(parents=True, exist_ok=True)
    with Image.open(page_path(SIZE, "rgb", name)) as image:
        pixels = add_frame(np.asarray(image))
    path.write_bytes(encode_unfiltered(widen(pixels), level=1))
    return path


def _measure(program: Program, name: str, pair: Pair, bits: int, output: Path | None) -> MemoryUse:
    with Image.open(pair.before) as image:
        pixels = image.width * image.height
    process = WarmProcess(program)
    try:
        idle = _peak_of(process.pid)
        for _ in range(REPEATS):
            process.compare(pair, output)
        peak = _peak_of(process.pid)
    finally:
        process.stop()
    return MemoryUse(name, pixels, bits, output is not None, idle, peak)


def _peak_of(pid: int) -> int:
    status = Path(f"/proc/{pid}/status").read_text()
    match = re.search(r"VmHWM:\s+(\d+) kB", status)
    return int(match[1]) * 1024 if match else 0
