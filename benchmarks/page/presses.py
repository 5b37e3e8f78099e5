"""How often E is pressed until all parts of all screenshots of a build were in view."""

import json
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from scripts.setup_tools import find_node

from benchmarks.groups.builds import REAL, is_available, load_builds
from visual_review.imagediff.changes.model import change_to_json

SCRIPT: Final = Path(__file__).with_name("presses.js")
# One of two panes in a window of 1440 x 900.
VIEW: Final = {"width": 542, "height": 612}
# Until the viewer showed all parts at first, and went on a screenful at a time.
BEFORE: Final = {"gravity-menu": 194, "gravity-layout": 464}
SHARE: Final = 0.25


@dataclass(frozen=True)
class PressRow:
    """One build: presses in all, and how many screenshots had all in view at first."""

    build: str
    screenshots: int
    at_once: int
    presses: int

    def __str__(self) -> str:
        return (
            f"{self.build:<18}{self.screenshots:>12}{self.at_once:>12}{self.presses:>10}"
            f"{BEFORE[self.build]:>10}"
        )

    def missed(self) -> Iterator[str]:
        bar = SHARE * BEFORE[self.build]
        if self.presses > bar:
            yield f"{self.build}: {self.presses} presses of E, bar {bar:.0f}"


HEAD: Final = f"{'build':<18}{'screenshots':>12}{'at once':>12}{'presses':>10}{'before':>10}"


def measure_presses() -> Iterator[PressRow]:
    """Yield a row for each real build; nothing without the samples."""
    for build in load_builds() if is_available() else ():
        if build.name not in REAL:
            continue
        screenshots: list[dict[str, object]] = []
        for shot in build.shots:
            sizes = (shot.changed.before, shot.changed.after)
            width, height = (max(size[axis] for size in sizes) for axis in (0, 1))
            changes = [change_to_json(each) for each in shot.changed.analysis.changes]
            screenshots.append({"size": {"width": width, "height": height}, "changes": changes})
        counts = _count(screenshots)
        at_once = sum(count == 0 for count in counts)
        yield PressRow(build.name, len(counts), at_once, sum(counts))


def _count(screenshots: list[dict[str, object]]) -> list[int]:
    value = json.dumps({"view": VIEW, "screenshots": screenshots})
    command = [find_node() / "node", SCRIPT]
    done = subprocess.run(command, input=value, capture_output=True, text=True, check=True)
    counts: list[int] = json.loads(done.stdout)
    return counts
