"""What was measured, and the bars it is held against; pure."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil

REST = "REST"
# MCP may take twice REST's time and a millisecond; half as much again is what we aim at.
TIMES, MORE_SECONDS, AIMED_TIMES = 2.0, 0.001, 1.5
# Seconds, at one connection: the bar, and the aim where there is one.
ABSOLUTE: dict[str, tuple[float, float | None]] = {
    "list_builds": (0.010, 0.005),
    "get_build": (1.0, None),
}
HEAD = (
    "action            conns  door             calls  calls/s   p50 ms   p95 ms  x REST"
    "  CPU ms  gen ms  answer kB"
)


@dataclass(frozen=True)
class Figures:
    """One row of the table, times in seconds.

    ``cpu`` and ``generator`` are CPU time a call of the web process and of the load generator;
    ``size`` is the answer's, in bytes.
    """

    action: str
    connections: int
    door: str
    calls: int
    rate: float
    p50: float
    p95: float
    cpu: float
    generator: float
    size: int


@dataclass(frozen=True)
class Bar:
    """A bound on a median, in seconds. The aim is what we would like beyond the bound."""

    figures: Figures
    bound: float
    words: str
    aim: float | None = None

    @property
    def missed(self) -> bool:
        return self.figures.p50 >= self.bound

    @property
    def aim_missed(self) -> bool:
        return self.aim is not None and self.figures.p50 >= self.aim

    def __str__(self) -> str:
        row = self.figures
        ends = {True: "MISSED", False: "met, aim missed" if self.aim_missed else "met"}
        aim = "" if self.aim is None else f", aim {self.aim * 1000:.1f}"
        return (
            f"{ends[self.missed]}: {row.action} by {row.door} at {row.connections}: "
            f"p50 {row.p50 * 1000:.1f} ms, bar {self.bound * 1000:.1f} ({self.words}){aim}"
        )


def percentile(values: Sequence[float], share: float) -> float:
    """The smallest value that ``share`` of all do not exceed (nearest rank)."""
    ordered = sorted(values)
    return ordered[max(ceil(share * len(ordered)), 1) - 1]


def bars_of(rows: Sequence[Figures]) -> list[Bar]:
    """Every bar that applies to these rows, in their order."""
    rest = {(row.action, row.connections): row for row in rows if row.door == REST}
    found = []
    for row in rows:
        beside = rest.get((row.action, row.connections))
        if beside is not None and row.door != REST:
            bound = TIMES * beside.p50 + MORE_SECONDS
            found.append(Bar(row, bound, "2 x REST + 1 ms", AIMED_TIMES * beside.p50))
        if row.connections == 1 and row.action in ABSOLUTE:
            bound, aim = ABSOLUTE[row.action]
            found.append(Bar(row, bound, "fixed", aim))
    return found


def table(rows: Sequence[Figures]) -> str:
    """The rows as text, each with its ratio to REST in the same conditions."""
    rest = {(row.action, row.connections): row.p50 for row in rows if row.door == REST}
    lines = [HEAD]
    for row in rows:
        ratio = row.p50 / rest[row.action, row.connections]
        lines.append(
            f"{row.action:<18}{row.connections:>5}  {row.door:<15}{row.calls:>7}{row.rate:>9.1f}"
            f"{row.p50 * 1000:>9.2f}{row.p95 * 1000:>9.2f}{ratio:>8.2f}{row.cpu * 1000:>8.2f}"
            f"{row.generator * 1000:>8.2f}{row.size / 1000:>11.1f}"
        )
    return "\n".join(lines)
