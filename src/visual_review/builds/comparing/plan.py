"""What is compared with what, before any pixel is read; pure. Rules 2, 3 and 9."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Literal

from visual_review.builds.baselines.sets import Entries, Entry
from visual_review.builds.variants import VariantKey

Known = Literal["unchanged", "new", "failed", "compare"]


@dataclass(frozen=True)
class Captured:
    """A screenshot as CI announced it; ``image`` is None when it failed."""

    key: VariantKey
    image: int | None
    detection_only: bool = False


@dataclass(frozen=True)
class Scope:
    """Which part of the baseline the build speaks for.

    ``stories`` are all stories that exist, given by partial builds; None for a full build,
    whose screenshots are all there are.
    """

    matrix: frozenset[tuple[str, str]]
    stories: frozenset[str] | None

    def covers(self, key: VariantKey) -> bool:
        return key.variant in self.matrix


@dataclass(frozen=True)
class Plan:
    """``known`` says what each captured screenshot is, or that pixels must tell.

    ``inherited`` and ``removed`` are baseline entries without a screenshot of their own.
    """

    known: dict[VariantKey, Known]
    inherited: dict[VariantKey, Entry]
    removed: dict[VariantKey, Entry]


def plan(captured: Collection[Captured], entries: Entries, scope: Scope) -> Plan:
    """Sort a build's screenshots, and the baseline entries it did not capture."""
    known = {shot.key: _known(shot, entries) for shot in captured}
    absent = {
        key: entry for key, entry in entries.items() if key not in known and scope.covers(key)
    }
    kept = scope.stories or frozenset()
    return Plan(
        known=known,
        inherited={key: entry for key, entry in absent.items() if key.story_id in kept},
        removed={key: entry for key, entry in absent.items() if key.story_id not in kept},
    )


def _known(shot: Captured, entries: Entries) -> Known:
    if shot.image is None:
        return "failed"
    if shot.detection_only:
        # Taken to measure the page's abilities; nobody is asked about it.
        return "unchanged"
    entry = entries.get(shot.key)
    if entry is None:
        return "new"
    # Images are stored once per content, so the same number means the same bytes.
    return "unchanged" if entry.image == shot.image else "compare"
