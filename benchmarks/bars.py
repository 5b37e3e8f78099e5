"""Measurements, and the bars they are compared with; pure."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import ceil
from typing import Literal

REST = "REST"
BARE_DJANGO, BARE_STARLETTE, EARLIER = "bare Django", "bare Starlette", "earlier REST"
REFERENCES = frozenset({BARE_DJANGO, BARE_STARLETTE, EARLIER})
# MCP may take so many times REST's time.
MCP_TIMES = 1.4
# REST may take so many times the elapsed and the CPU time of a bare Django view.
BARE_TIMES = 1.5
# REST must serve so many times the calls of the earlier commit.
EARLIER_TIMES = 2.5
# The name of its rows: get_build of a build with two decisions on each screenshot.
TWICE_DECIDED = "get_build, twice"
# Seconds, by action and connections: the bar, and the aim where there is one.
ABSOLUTE: dict[tuple[str, int], tuple[float, float | None]] = {
    ("list_builds", 1): (0.010, 0.005),
    ("get_build", 1): (1.0, None),
    ("get_build", 20): (4.0, None),
    (TWICE_DECIDED, 1): (1.0, None),
}
MOST_STATEMENTS = 6
MOST_GROWTH = 5_000_000
MEGABYTE = 1_000_000
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

    def value(self, measure: "Measure") -> float:
        return {"p50": self.p50, "CPU": self.cpu, "calls/s": self.rate}[measure]


Measure = Literal["p50", "CPU", "calls/s"]


@dataclass(frozen=True)
class Bar:
    """A bound of one figure: an upper one of a time in seconds, a lower one of calls a second.

    ``aim`` is a stricter one that may be missed.
    """

    figures: Figures
    bound: float
    rule: str
    aim: float | None = None
    measure: Measure = "p50"

    @property
    def missed(self) -> bool:
        found = self.figures.value(self.measure)
        return found < self.bound if self.measure == "calls/s" else found >= self.bound

    @property
    def aim_missed(self) -> bool:
        return self.aim is not None and self.figures.value(self.measure) >= self.aim

    def __str__(self) -> str:
        row = self.figures
        results = {True: "MISSED", False: "met, aim missed" if self.aim_missed else "met"}
        aim = "" if self.aim is None else f", aim {self._show(self.aim)}"
        unit = "" if self.measure == "calls/s" else " ms"
        return (
            f"{results[self.missed]}: {row.action} over {row.interface} at {row.connections}: "
            f"{self.measure} {self._show(row.value(self.measure))}{unit}, "
            f"bar {self._show(self.bound)} ({self.rule}){aim}"
        )

    def _show(self, value: float) -> str:
        return f"{value if self.measure == 'calls/s' else value * 1000:.1f}"


@dataclass(frozen=True)
class Growth:
    """Resident bytes of the web process after its first calls, and after all of them."""

    first_calls: int
    calls: int
    first: int
    last: int

    @property
    def missed(self) -> bool:
        return self.last - self.first >= MOST_GROWTH

    def __str__(self) -> str:
        return (
            f"{'MISSED' if self.missed else 'met'}: memory of the web process: "
            f"{self.first / MEGABYTE:.1f} MB after {self.first_calls:,} calls, "
            f"{self.last / MEGABYTE:.1f} MB after {self.calls:,}, growth "
            f"{(self.last - self.first) / MEGABYTE:.1f} MB, bar {MOST_GROWTH / MEGABYTE:.1f}"
        )


@dataclass(frozen=True)
class Statements:
    """How many statements a call of an action sends to the database."""

    action: str
    count: int
    source: str

    @property
    def missed(self) -> bool:
        return self.count > MOST_STATEMENTS

    def __str__(self) -> str:
        result = "MISSED" if self.missed else "met"
        return (
            f"{result}: {self.action}: {self.count} queries ({self.source}), bar {MOST_STATEMENTS}"
        )


def percentile(values: Sequence[float], share: float) -> float:
    """Return the smallest value that ``share`` of all do not exceed (nearest rank)."""
    ordered = sorted(values)
    return ordered[max(ceil(share * len(ordered)), 1) - 1]


def compute_bars(rows: Sequence[Figures]) -> list[Bar]:
    """Return every bar that applies to these rows, in their order."""
    by_key = {(row.action, row.connections, row.interface): row for row in rows}
    found: list[Bar] = []
    for row in rows:
        if row.interface in REFERENCES:
            continue
        rest = by_key.get((row.action, row.connections, REST))
        if rest is not None and row.interface != REST:
            found.append(Bar(row, MCP_TIMES * rest.p50, f"{MCP_TIMES} x REST"))
        if row.interface == REST:
            found += _compare_with_references(row, by_key)
        if (row.action, row.connections) in ABSOLUTE:
            bound, aim = ABSOLUTE[row.action, row.connections]
            found.append(Bar(row, bound, "fixed", aim))
    return found


def _compare_with_references(
    row: Figures, by_key: dict[tuple[str, int, str], Figures]
) -> Iterator[Bar]:
    bare = by_key.get((row.action, row.connections, BARE_DJANGO))
    if bare is not None:
        rule = f"{BARE_TIMES} x {BARE_DJANGO}"
        yield Bar(row, BARE_TIMES * bare.p50, rule)
        yield Bar(row, BARE_TIMES * bare.cpu, rule, measure="CPU")
    earlier = by_key.get((row.action, row.connections, EARLIER))
    if earlier is not None:
        bound = EARLIER_TIMES * earlier.rate
        yield Bar(row, bound, f"{EARLIER_TIMES} x {EARLIER}", measure="calls/s")


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
