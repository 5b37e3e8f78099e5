"""Where the time of each story goes."""

import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, fields
from typing import Any, Final

SLOWEST: Final = 15


@dataclass(slots=True)
class StoryTimes:
    """Seconds of one story in one variant."""

    # The start of the preview, before the first story of a page.
    load: float = 0.0
    # Storybook's rendering with the play function.
    show: float = 0.0
    # Waiting until the page is at rest.
    settle: float = 0.0
    # The screenshot.
    image: float = 0.0
    # The hooks after the story.
    finish: float = 0.0
    # The encoding of the PNG.
    encode: float = 0.0
    # The commands themselves.
    other: float = 0.0

    @property
    def total(self) -> float:
        return sum(float(getattr(self, each.name)) for each in fields(self))

    @contextmanager
    def measure(self, name: str) -> Iterator[None]:
        """Add the time of the block to the field ``name``."""
        started = time.perf_counter()
        try:
            yield
        finally:
            setattr(self, name, getattr(self, name) + time.perf_counter() - started)

    def split(self, inside: Mapping[str, float]) -> None:
        """Move the times measured by the page itself out of ``other``."""
        for name, seconds in inside.items():
            moved = min(max(0.0, seconds), self.other)
            setattr(self, name, getattr(self, name) + moved)
            self.other -= moved


NAMES: Final = tuple(each.name for each in fields(StoryTimes))


@dataclass(slots=True)
class Profile:
    """The times of a run, by story and variant."""

    stories: list[tuple[str, StoryTimes]] = field(default_factory=list)

    def add(self, label: str, times: StoryTimes | None) -> None:
        if times is not None:
            self.stories.append((label, times))

    def lines(self) -> list[str]:
        """Return a table of the slowest stories, after the sum of all."""
        if not self.stories:
            return ["Nothing was captured, so there is no profile."]
        slowest = sorted(self.stories, key=lambda each: -each[1].total)[:SLOWEST]
        rows = [("all stories", sum_times(times for _, times in self.stories)), *slowest]
        head = "".join(f"{name:>9}" for name in ("total", *NAMES)) + "  seconds of"
        return [head, *(_row(label, times) for label, times in rows)]

    def to_json(self) -> list[dict[str, Any]]:
        return [
            {"story": label, **{name: round(getattr(times, name), 4) for name in NAMES}}
            for label, times in sorted(self.stories, key=lambda each: -each[1].total)
        ]


def sum_times(all_times: Iterable[StoryTimes]) -> StoryTimes:
    total = StoryTimes()
    for times in all_times:
        for name in NAMES:
            setattr(total, name, getattr(total, name) + getattr(times, name))
    return total


def _row(label: str, times: StoryTimes) -> str:
    numbers = "".join(f"{getattr(times, name):9.2f}" for name in ("total", *NAMES))
    return f"{numbers}  {label}"
