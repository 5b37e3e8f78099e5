"""The memory of a running process, looked at often, and of all processes of a service."""

import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Final

import psutil

from benchmarks.children import command_line

SAMPLE_SECONDS: Final = 0.05


@dataclass
class MemorySamples:
    """Resident bytes of a process, from the first sample to the last."""

    resident: list[int] = field(default_factory=list)

    @property
    def peak(self) -> int:
        return max(self.resident)

    @property
    def last(self) -> int:
        return self.resident[-1]


@contextmanager
def sample_memory(process: psutil.Process) -> Iterator[MemorySamples]:
    """Take samples in a thread until the block ends."""
    samples = MemorySamples([process.memory_info().rss])
    ended = threading.Event()

    def watch() -> None:
        while not ended.wait(SAMPLE_SECONDS):
            samples.resident.append(process.memory_info().rss)

    thread = threading.Thread(target=watch)
    thread.start()
    try:
        yield samples
    finally:
        ended.set()
        thread.join()
        samples.resident.append(process.memory_info().rss)


def memory_by_process(supervisor: int) -> Counter[str]:
    """Return the bytes of a service's processes by their names; shared memory counts once.

    Raises psutil.AccessDenied unless root, or the owner of processes that are not hardened, asks.
    """
    process = psutil.Process(supervisor)
    found: Counter[str] = Counter()
    for each in [process, *process.children(recursive=True)]:
        # PostgreSQL's processes come and go.
        with suppress(psutil.NoSuchProcess):
            found[_name_of(each)] += each.memory_full_info().pss
    return found


def _name_of(process: psutil.Process) -> str:
    arguments = command_line(process)
    return next((name for name in ("up", "web", "worker") if name in arguments), "PostgreSQL")
