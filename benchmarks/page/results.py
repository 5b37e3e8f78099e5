"""The measurements of the review page, and their bars; pure."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import median

MEGABYTE = 1_000_000
FIRST_TILES, BLANK, DECISION, NEXT_CHANGE, APPROVE_ALL = 1.0, 0.2, 0.15, 0.1, 3.0
MEMORY = 400 * MEGABYTE
TAB_HEAD = (
    f"{'build':<22}{'latency':>8}{'cache':>6}{'tile ms':>9}{'all ms':>8}{'blank ms':>10}"
    f"{'shown ms':>10}{'saved ms':>10}{'next ms':>9}{'tab MB':>8}"
)
SERVER_HEAD = f"{'request':<34}{'build':<22}{'ms':>8}{'CPU ms':>8}{'queries':>9}{'kB sent':>9}"


@dataclass(frozen=True)
class Scenario:
    """One visit to a review page; ``latency`` in seconds is added to every request."""

    build: str
    latency: float
    is_warm: bool

    def __str__(self) -> str:
        cache = "warm" if self.is_warm else "cold"
        return f"{self.build:<22}{self.latency * 1000:>5.0f} ms{cache:>6}"


@dataclass(frozen=True)
class TabRow:
    """A reviewer's waiting times, in seconds, and the memory of the tab in bytes.

    ``shown`` and ``saved`` are of each decision: until the decision is painted, and until the
    server has confirmed it. ``next_change`` is of each change: until its image is painted.
    """

    scenario: Scenario
    first_tile: float
    all_tiles: float
    longest_blank: float
    shown: Sequence[float]
    saved: Sequence[float]
    next_change: Sequence[float]
    memory: int

    def __str__(self) -> str:
        times = (self.first_tile, self.all_tiles, self.longest_blank)
        first, every, blank = (each * 1000 for each in times)
        shown, saved, following = (
            median(each) * 1000 for each in (self.shown, self.saved, self.next_change)
        )
        return (
            f"{self.scenario}{first:>9.0f}{every:>8.0f}{blank:>10.0f}{shown:>10.0f}"
            f"{saved:>10.0f}{following:>9.0f}{self.memory / MEGABYTE:>8.0f}"
        )

    def missed(self) -> Iterator[str]:
        latency = self.scenario.latency
        measured = (
            ("first tile", self.first_tile, FIRST_TILES),
            ("longest blank", self.longest_blank, BLANK),
            ("decision shown", median(self.shown), DECISION),
            # The server can do nothing about the network.
            ("decision saved", median(self.saved), DECISION + latency),
            ("next change", median(self.next_change), NEXT_CHANGE),
        )
        for name, seconds, bar in measured:
            if seconds > bar:
                yield f"{self.scenario}: {name} {seconds * 1000:.0f} ms, bar {bar * 1000:.0f} ms"
        if self.memory > MEMORY:
            yield f"{self.scenario}: {self.memory / MEGABYTE:.0f} MB, bar 400 MB"


@dataclass(frozen=True)
class ServerRow:
    """One kind of request: the median in seconds, the CPU time, and the bytes of the response."""

    request: str
    build: str
    seconds: float
    cpu: float
    queries: int | None
    size: int
    bar: float | None = None

    def __str__(self) -> str:
        queries = "-" if self.queries is None else str(self.queries)
        return (
            f"{self.request:<34}{self.build:<22}{self.seconds * 1000:>8.0f}{self.cpu * 1000:>8.0f}"
            f"{queries:>9}{self.size / 1000:>9.1f}"
        )

    def missed(self) -> Iterator[str]:
        if self.bar is not None and self.seconds > self.bar:
            yield (
                f"{self.request}, {self.build}: {self.seconds * 1000:.0f} ms, "
                f"bar {self.bar * 1000:.0f} ms"
            )
