"""How many pages fit into the free memory, on the machine and in its container."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

# A browser with one page of an ordinary Storybook, in bytes.
PAGE_BYTES: Final = 400 << 20
MACHINE: Final = Path("/proc/meminfo")
# Of control groups, version 2 and version 1: the limit, the used memory, and the statistics.
GROUPS: Final = (
    (
        Path("/sys/fs/cgroup/memory.max"),
        Path("/sys/fs/cgroup/memory.current"),
        Path("/sys/fs/cgroup/memory.stat"),
    ),
    (
        Path("/sys/fs/cgroup/memory/memory.limit_in_bytes"),
        Path("/sys/fs/cgroup/memory/memory.usage_in_bytes"),
        Path("/sys/fs/cgroup/memory/memory.stat"),
    ),
)
# Files read once, such as files of a build: the kernel drops them when memory is needed.
CACHED: Final = re.compile(r"^(?:total_)?inactive_file (\d+)$", re.MULTILINE)


def fit_pages(wanted: int, available: int | None) -> tuple[int, str]:
    """Return how many pages to open, and a sentence for fewer pages than ``wanted``."""
    most = wanted if available is None else max(1, available // PAGE_BYTES)
    if most >= wanted:
        return wanted, ""
    megabytes = (available or 0) >> 20
    return most, (
        f"{most} of {wanted} pages are open at once: only {megabytes} MB of memory are free, and "
        f"each page needs about {PAGE_BYTES >> 20} MB."
    )


def find_available_memory() -> int | None:
    """Return the free bytes; None if the system does not report them."""
    return min([*_of_machine(), *_of_groups()], default=None)


def _of_machine() -> Iterator[int]:
    for line in _read(MACHINE).splitlines():
        name, _, rest = line.partition(":")
        if name == "MemAvailable":
            yield int(rest.split()[0]) << 10


def _of_groups() -> Iterator[int]:
    for limit, used, statistics in GROUPS:
        texts = _read(limit).strip(), _read(used).strip()
        # The limit is 'max' without one.
        if all(text.isdecimal() for text in texts):
            cached = max(map(int, CACHED.findall(_read(statistics))), default=0)
            yield max(0, int(texts[0]) - int(texts[1]) + cached)


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="ascii")
    except OSError:
        # Not on Linux, or another version of control groups.
        return ""
