"""What honest clients saw during an attack, and whether that is acceptable; pure."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from benchmarks.load import percentile

PAGE_SECONDS: Final = 1.0
# How much later another team's build may end than without the attack.
BUILD_SECONDS: Final = 10.0
HEAD: Final = (
    "case                                  pages  p50 ms  p95 ms  max ms  failed  "
    "CI job s    result"
)


@dataclass(frozen=True)
class Outcome:
    """``seconds`` of each page, ``failures`` in words, and the CI job next to them."""

    case: str
    seconds: Sequence[float]
    failures: Sequence[str]
    build_seconds: float
    build_failure: str
    usual_build_seconds: float

    @property
    def complaints(self) -> list[str]:
        """What hurt the honest clients; empty if nothing did."""
        found = []
        if self.failures:
            found.append(f"{len(self.failures)} pages failed, first {self.failures[0]}")
        if not self.seconds or max(self.seconds) >= PAGE_SECONDS:
            slowest = max(self.seconds, default=float("inf"))
            found.append(f"a page took {slowest:.1f} s (bar {PAGE_SECONDS:.0f} s)")
        if self.build_failure:
            found.append(f"the CI job failed: {self.build_failure}")
        elif self.build_seconds > self.usual_build_seconds + BUILD_SECONDS:
            late = self.build_seconds - self.usual_build_seconds
            found.append(f"the CI job took {late:.0f} s more (bar {BUILD_SECONDS:.0f} s)")
        return found

    def __str__(self) -> str:
        times = self.seconds or [float("inf")]
        p50, p95 = percentile(times, 0.5), percentile(times, 0.95)
        return (
            f"{self.case:<37}{len(self.seconds):>6}{p50 * 1000:>8.0f}{p95 * 1000:>8.0f}"
            f"{max(times) * 1000:>8.0f}{len(self.failures):>8}{self.build_seconds:>10.1f}"
            f"    {'HURT' if self.complaints else 'fine'}"
        )
