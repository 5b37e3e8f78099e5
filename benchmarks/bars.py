"""Measurements, and the bars they are compared with; pure."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil

REST = "REST"
# MCP may take twice REST's time plus a millisecond; the aim is 1.5 times.
TIMES, MORE_SECONDS, AIMED_TIMES = 2.0, 0.001, 1.5
# Seconds, at one connection: the bar, and the aim where there is one.
ABSOLUTE: dict[str, tuple[float, float | None]] = {
    "list_builds": (0.010, 0.005),
    "get_build": (1.0, None),
}
HEAD = (
    "action            conns  interface        calls  calls/s   p50 ms   p95 ms  x REST"
    "  CPU ms  gen ms    body kB"
)


@dataclass(frozen=True)
class Figures:
    """One row of the table, times in seconds.

    ``cpu`` and ``generator`` are CPU time per call of the web process and of the load generator;
    ``size`` is that of the response body, in bytes.
    """

    action: str
    connections: int
    interface: str
    calls: int
    rate: float
    p50: float
    p95: float
    cpu: float
    generator: float
    size: int


@dataclass(frozen=True)
class Bar:
    """An upper bound of a median, in seconds; ``aim`` is a stricter one that may be missed."""

    figures: Figures
    bound: float
    rule: str
    aim: float | None = None

    @property
    def missed(self) -> bool:
        return self.figures.p50 >= self.bound

    @property
    def aim_missed(self) -> bool:
        return self.aim is not None and self.figures.p50 >= self.aim

    def __str__(self) -> str:
        row = self.figures
        results = {True: "MISSED", False: "met, aim missed" if self.aim_missed else "met"}
        aim = "" if self.aim is None else f", aim {self.aim * 1000:.1f}"
        return (
            f"{results[self.missed]}: {row.action} over {row.interface} at {row.connections}: "
            f"p50 {row.p50 * 1000:.1f} ms, bar {self.bound * 1000:.1f} ({self.rule}){aim}"
        )


def percentile(values: Sequence[float], share: float) -> float:
    """Return the smallest value that ``share`` of all do not exceed (nearest rank)."""
    ordered = sorted(values)
    return ordered[max(ceil(share * len(ordered)), 1) - 1]


def compute_bars(rows: Sequence[Figures]) -> list[Bar]:
    """Return every bar that applies to these rows, in their order."""
    rest = {(row.action, row.connections): row for row in rows if row.interface == REST}
    found = []
    for row in rows:
        reference = rest.get((row.action, row.connections))
        if reference is not None and row.interface != REST:
            bound = TIMES * reference.p50 + MORE_SECONDS
            found.append(Bar(row, bound, "2 x REST + 1 ms", AIMED_TIMES * reference.p50))
        if row.connections == 1 and row.action in ABSOLUTE:
            bound, aim = ABSOLUTE[row.action]
            found.append(Bar(row, bound, "fixed", aim))
    return found


def format_table(rows: Sequence[Figures]) -> str:
    """Return the rows as text, each with its ratio to REST under the same conditions."""
    rest = {(row.action, row.connections): row.p50 for row in rows if row.interface == REST}
    lines = [HEAD]
    for row in rows:
        ratio = row.p50 / rest[row.action, row.connections]
        lines.append(
            f"{row.action:<18}{row.connections:>5}  {row.interface:<15}{row.calls:>7}{row.rate:>9.1f}"
            f"{row.p50 * 1000:>9.2f}{row.p95 * 1000:>9.2f}{ratio:>8.2f}{row.cpu * 1000:>8.2f}"
            f"{row.generator * 1000:>8.2f}{row.size / 1000:>11.1f}"
        )
    return "\n".join(lines)
