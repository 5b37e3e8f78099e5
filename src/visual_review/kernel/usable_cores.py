"""The number of cores for this process, by its affinity and the quota of its container."""

import os
from collections.abc import Iterator
from math import ceil
from pathlib import Path, PurePosixPath
from typing import Final

CGROUPS: Final = Path("/sys/fs/cgroup")
MEMBERSHIP: Final = Path("/proc/self/cgroup")


def usable_cores() -> int:
    """Return how many threads can compute at the same time, at least one."""
    return min([_cores_by_affinity(), *_quotas()])


def quota_of(quota: str, period: str) -> int | None:
    """Return the cores allowed by a quota of microseconds in each period; None if unlimited."""
    # 'max' in version 2 of control groups, -1 in version 1.
    if not (quota.isdecimal() and period.isdecimal() and int(period) > 0):
        return None
    # A share of a core needs a thread, too.
    return max(1, ceil(int(quota) / int(period)))


def _cores_by_affinity() -> int:
    # Only Linux can restrict a process to some of the cores.
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _quotas() -> Iterator[int]:
    """Yield the limits of the group and of the groups above; the smallest limit counts."""
    for path in _groups():
        for folder in (path, *path.parents):
            limit = _quota_in(CGROUPS / folder)
            if limit is not None:
                yield limit


def _groups() -> Iterator[PurePosixPath]:
    for line in _read(MEMBERSHIP).splitlines():
        _, _, rest = line.partition(":")
        controllers, _, path = rest.partition(":")
        group = path.lstrip("/")
        if not controllers:
            yield PurePosixPath(group)
        elif "cpu" in controllers.split(","):
            yield PurePosixPath("cpu") / group


def _quota_in(folder: Path) -> int | None:
    quota, _, period = _read(folder / "cpu.max").strip().partition(" ")
    if quota:
        return quota_of(quota, period)
    return quota_of(
        _read(folder / "cpu.cfs_quota_us").strip(), _read(folder / "cpu.cfs_period_us").strip()
    )


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="ascii")
    # Not on Linux, or another version of control groups.
    except OSError:
        return ""
