"""Captures a Storybook several times under different conditions, and compares the images."""

import hashlib
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Final

from tests.support.starvation import starved_browsers

from benchmarks.capture.storybooks import Storybook
from visual_review.client.capture import CaptureSettings, Shot, Story
from visual_review.client.capture.run import capture

HEAD: Final = (
    f"{'Storybook':<28}{'stories':>8}{'images':>8}{'identical':>10}{'marked':>8}{'notes':>7}"
    f"{'errors':>8}{'differ':>8}{'seconds':>9}"
)
ERROR: Final = "error"


@dataclass(frozen=True)
class Condition:
    """How one of the runs differs from the others."""

    name: str
    workers: int
    # Share of the time in which the run's browsers may run.
    share: float = 1.0
    shards: int = 1


CONDITIONS: Final = (
    Condition("1 worker", 1),
    Condition("2 workers", 2),
    Condition("4 workers", 4),
    Condition("2 workers with a tenth of the time", 2, share=0.1),
    Condition("four shards", 1, shards=4),
)


@dataclass
class Images:
    """The results for each story and variant: a hash by the name of the run."""

    hashes: dict[str, dict[str, str]] = field(default_factory=dict)
    marked: dict[str, str] = field(default_factory=dict)
    notes: dict[str, str] = field(default_factory=dict)
    errors: dict[str, str] = field(default_factory=dict)

    def add(self, shot: Shot, run: str) -> None:
        name = f"{shot.story.id} {shot.variant}"
        value = ERROR if shot.png is None else hashlib.sha256(shot.png).hexdigest()
        self.hashes.setdefault(name, {})[run] = value
        # The first one is printed; a later run may have another.
        if shot.unstable:
            self.marked.setdefault(name, str(shot.unstable))
        if shot.notes:
            self.notes.setdefault(name, ", ".join(sorted({note.kind for note in shot.notes})))
        if shot.error:
            self.errors.setdefault(name, shot.error)

    def find_differing(self, runs: int) -> list[str]:
        """Return the images that are neither the same in all runs nor marked as unstable."""
        return [name for name in self._varying(runs) if name not in self.marked]

    def describe(self, name: str) -> str:
        """Return the image's name with the runs unlike most others."""
        values = self.hashes[name]
        usual = Counter(values.values()).most_common(1)[0][0]
        return f"{name} ({', '.join(run for run in values if values[run] != usual)})"

    def _varying(self, runs: int) -> list[str]:
        return [
            name
            for name, values in sorted(self.hashes.items())
            # A story may be skipped, but then in every run.
            if len(values) != runs or len(set(values.values())) > 1
        ]

    def format_row(self, book: Storybook, runs: int, seconds: float) -> str:
        taken = sum(set(values.values()) != {ERROR} for values in self.hashes.values())
        identical = len(self.hashes) - len(self._varying(runs)) - (len(self.hashes) - taken)
        return (
            f"{book.name:<28}{len(book.stories):>8}{taken:>8}{identical:>10}{len(self.marked):>8}"
            f"{len(self.notes):>7}{len(self.errors):>8}{len(self.find_differing(runs)):>8}"
            f"{seconds:>9.0f}"
        )

    def format_reasons(self) -> Iterator[str]:
        """Yield each reason of marks, notes and errors with the number of images."""
        for what, texts in (("marked", self.marked), ("note", self.notes), ("error", self.errors)):
            for text, count in Counter(texts.values()).most_common():
                yield f"  {what}: {count} times: {text}"


def capture_repeatedly(book: Storybook, conditions: Sequence[Condition]) -> Images:
    images = Images()
    for condition in conditions:
        with starved_browsers(condition.share):
            for stories in _split(book.stories, condition.shards):
                settings = CaptureSettings(workers=condition.workers)
                add = partial(images.add, run=condition.name)
                capture(book.folder, book.variants, stories, settings, add)
    return images


def _split(stories: Sequence[Story], shards: int) -> Iterator[Sequence[Story]]:
    for shard in range(min(shards, len(stories))):
        yield stories[shard::shards]
