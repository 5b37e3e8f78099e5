"""Plan the comparison of a build before any pixel is read; pure. Rules 2, 3 and 9."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Literal

from visual_review.builds.baselines.sets import Entries, Entry
from visual_review.builds.states import FAILED, NEW, UNCHANGED
from visual_review.builds.variants import VariantKey

CaptureOutcome = Literal["unchanged", "new", "failed", "compare"]


@dataclass(frozen=True)
class CapturedShot:
    """A screenshot announced by CI, without ``image`` if the capture failed."""

    key: VariantKey
    image: int | None
    detection_only: bool = False


@dataclass(frozen=True)
class Scope:
    """The part of the baseline covered by the build.

    ``stories`` are all existing stories, listed by partial builds; None for a full build, which has
    screenshots of all stories.
    """

    matrix: frozenset[tuple[str, str]]
    stories: frozenset[str] | None

    def covers(self, key: VariantKey) -> bool:
        return key.variant in self.matrix


@dataclass(frozen=True)
class ComparisonPlan:
    """The outcome of each captured screenshot, or the need to compare its pixels.

    ``inherited`` and ``removed`` are baseline entries without a screenshot of their own.
    """

    outcomes: dict[VariantKey, CaptureOutcome]
    inherited: dict[VariantKey, Entry]
    removed: dict[VariantKey, Entry]


def plan_comparison(
    captured: Collection[CapturedShot], entries: Entries, scope: Scope
) -> ComparisonPlan:
    """Classify a build's screenshots, and the baseline entries without a capture."""
    outcomes = {shot.key: _classify(shot, entries) for shot in captured}
    absent = {
        key: entry for key, entry in entries.items() if key not in outcomes and scope.covers(key)
    }
    existing = scope.stories or frozenset()
    return ComparisonPlan(
        outcomes=outcomes,
        inherited={key: entry for key, entry in absent.items() if key.story_id in existing},
        removed={key: entry for key, entry in absent.items() if key.story_id not in existing},
    )


def _classify(shot: CapturedShot, entries: Entries) -> CaptureOutcome:
    if shot.image is None:
        return FAILED
    if shot.detection_only:
        # Captured to detect capabilities only, so not reviewed.
        return UNCHANGED
    entry = entries.get(shot.key)
    if entry is None:
        return NEW
    # Images are stored once per content, so the same id means the same bytes.
    return UNCHANGED if entry.image == shot.image else "compare"
