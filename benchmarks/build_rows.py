"""The measurements of large builds, and their bars; pure."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

BAR_SECONDS = 30.0
BAR_MEMORY = 600 * 1024 * 1024
BAR_IDLE_MEMORY = 300 * 1024 * 1024
MEGABYTE = 1024 * 1024
HEAD = (
    f"{'build':<46}{'seconds':>9}{'pairs/s':>9}{'worker CPU s':>14}{'peak MB':>9}{'growth MB':>11}"
)


@dataclass(frozen=True)
class Row:
    """One published build: seconds from finish to verdict, memory of the worker in bytes.

    ``pairs`` are the pairs of images with different pixels; ``growth`` is the memory kept by the
    worker.
    """

    name: str
    seconds: float
    pairs: int
    cpu: float
    peak: int
    growth: int
    has_bar: bool

    def __str__(self) -> str:
        rate = f"{self.pairs / self.seconds:.1f}" if self.pairs else "-"
        return (
            f"{self.name:<46}{self.seconds:>9.1f}{rate:>9}{self.cpu:>14.1f}"
            f"{self.peak / MEGABYTE:>9.0f}{self.growth / MEGABYTE:>11.1f}"
        )

    def missed(self) -> Iterator[str]:
        """Yield every missed bar; builds for information have none."""
        if self.has_bar and self.seconds > BAR_SECONDS:
            yield f"{self.name}: {self.seconds:.1f} s to the verdict, bar {BAR_SECONDS:.0f} s"
        if self.has_bar and self.peak > BAR_MEMORY:
            yield f"{self.name}: {self.peak / MEGABYTE:.0f} MB in the worker, bar 600 MB"


@dataclass(frozen=True)
class IdleMemory:
    """The bytes of each process of the service, a minute after the last use."""

    name: str
    used: Counter[str]
    has_bar: bool

    def __str__(self) -> str:
        parts = ", ".join(f"{name} {size / MEGABYTE:.0f}" for name, size in self.used.items())
        return f"idle after {self.name}: {self.used.total() / MEGABYTE:.0f} MB ({parts})"

    def missed(self) -> Iterator[str]:
        if self.has_bar and self.used.total() > BAR_IDLE_MEMORY:
            yield f"{self}, bar {BAR_IDLE_MEMORY / MEGABYTE:.0f} MB"
