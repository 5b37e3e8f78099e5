"""The memory of a running process, looked at often."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Final

import psutil

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
