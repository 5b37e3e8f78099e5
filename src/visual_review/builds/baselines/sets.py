"""The set of a baseline after an approval; pure. Rules 2, 6 and 9 of the design on baselines.

Images are represented by their row ids; a baseline's set maps story and variant to an image.
"""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from visual_review.builds.states import FAILED, REMOVED
from visual_review.builds.story_regions import Rectangles
from visual_review.builds.variants import VariantKey


@dataclass(frozen=True)
class Entry:
    """The baseline's image of a story and variant."""

    image: int
    title: str = ""
    source_hash: str = ""
    renderer_hash: str = ""
    regions: Rectangles = ()


@dataclass(frozen=True)
class Shot:
    """A screenshot for approvals. Removed and failed screenshots have no ``image``."""

    key: VariantKey
    diff_state: str
    image: int | None = None
    baseline_image: int | None = None
    inherited: bool = False
    detection_only: bool = False
    rejected: bool = False
    title: str = ""
    source_hash: str = ""
    renderer_hash: str = ""
    regions: Rectangles = ()

    def entry(self) -> Entry | None:
        if self.image is None:
            return None
        return Entry(*(self.image, self.title, self.source_hash, self.renderer_hash, self.regions))


Entries = Mapping[VariantKey, Entry]


@dataclass(frozen=True)
class Approval:
    """The build being approved: its matrix, and its relation to its branch's baseline.

    ``compared_with_own`` is true if the build was compared with the baseline to change,
    ``branch_is_new`` if this baseline has no version yet.
    """

    is_partial: bool
    matrix: frozenset[tuple[str, str]]
    compared_with_own: bool
    branch_is_new: bool


def entries_after(
    current: Entries, approval: Approval, shots: Iterable[Shot]
) -> dict[VariantKey, Entry]:
    """Return the branch's set after the approval, given its current set."""
    counted = [shot for shot in shots if not shot.detection_only]
    if approval.is_partial:
        return _after_partial(current, approval, counted)
    return _after_full(current, approval, counted)


def _after_full(
    current: Entries, approval: Approval, shots: Collection[Shot]
) -> dict[VariantKey, Entry]:
    # Variants outside the matrix were not reviewed, so their entries stay.
    entries = {key: entry for key, entry in current.items() if key.variant not in approval.matrix}
    for shot in shots:
        entry = current.get(shot.key) if _keeps_branch_entry(shot) else shot.entry()
        if entry is not None:
            entries[shot.key] = entry
    return entries


def _keeps_branch_entry(shot: Shot) -> bool:
    # A failure says nothing about the story, and a rejected removal was not accepted.
    return shot.diff_state == FAILED or (shot.diff_state == REMOVED and shot.rejected)


def _after_partial(
    current: Entries, approval: Approval, shots: Collection[Shot]
) -> dict[VariantKey, Entry]:
    entries = dict(current)
    for shot in shots:
        if shot.diff_state == REMOVED:
            if _removal_still_holds(current, approval, shot):
                entries.pop(shot.key, None)
        elif shot.inherited:
            _inherit(entries, approval, shot)
        elif not _keeps_branch_entry(shot):
            entry = shot.entry()
            if entry is not None:
                entries[shot.key] = entry
    return entries


def _inherit(entries: dict[VariantKey, Entry], approval: Approval, shot: Shot) -> None:
    # The branch's own entries take precedence, so that an older partial build reverts nothing. A
    # branch without a baseline starts from the baseline its build was compared with.
    entry = shot.entry()
    if approval.branch_is_new and entry is not None:
        entries.setdefault(shot.key, entry)


def _removal_still_holds(current: Entries, approval: Approval, shot: Shot) -> bool:
    if shot.rejected:
        return False
    entry = current.get(shot.key)
    # Another image of the story has been approved since, so the story still exists on the branch.
    changed_since = entry is not None and entry.image != shot.baseline_image
    return not (approval.compared_with_own and changed_since)


@dataclass(frozen=True)
class Difference:
    """The changes between two versions of a set."""

    ended: frozenset[VariantKey]
    begun: Mapping[VariantKey, Entry]


def difference(before: Entries, after: Entries) -> Difference:
    """Return only the changed entries, so that history costs only the changes."""
    ended = {
        key for key, entry in before.items() if key not in after or after[key].image != entry.image
    }
    begun = {
        key: entry
        for key, entry in after.items()
        if key not in before or before[key].image != entry.image
    }
    return Difference(frozenset(ended), begun)
