"""What a baseline becomes; pure. Rules 2, 6 and 9 of the design's section on baselines.

Images are known by their row numbers here; a baseline's set maps story and variant to one.
"""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from visual_review.builds.variants import VariantKey


@dataclass(frozen=True)
class Entry:
    """What the baseline holds for a story and variant."""

    image: int
    title: str = ""
    source_hash: str = ""


@dataclass(frozen=True)
class Shot:
    """What approval needs to know of a screenshot. ``image`` is None for removed and failed."""

    key: VariantKey
    diff_state: str
    image: int | None = None
    baseline_image: int | None = None
    inherited: bool = False
    detection_only: bool = False
    rejected: bool = False
    title: str = ""
    source_hash: str = ""

    def entry(self) -> Entry | None:
        if self.image is None:
            return None
        return Entry(self.image, self.title, self.source_hash)


Entries = Mapping[VariantKey, Entry]


@dataclass(frozen=True)
class Approval:
    """The build being approved: its matrix, and how it relates to the branch it moves.

    ``compared_with_own`` tells that it was compared with the very baseline it moves;
    ``branch_is_new`` that this baseline has no move yet.
    """

    is_partial: bool
    matrix: frozenset[tuple[str, str]]
    compared_with_own: bool
    branch_is_new: bool


def entries_after(
    current: Entries, approval: Approval, shots: Iterable[Shot]
) -> dict[VariantKey, Entry]:
    """The branch's set once the build is approved, given its set at that moment."""
    counted = [shot for shot in shots if not shot.detection_only]
    if approval.is_partial:
        return _after_partial(current, approval, counted)
    return _after_full(current, approval, counted)


def _after_full(
    current: Entries, approval: Approval, shots: Collection[Shot]
) -> dict[VariantKey, Entry]:
    # Nobody looked at the variants outside the matrix, so they stay as they are.
    entries = {key: entry for key, entry in current.items() if key.variant not in approval.matrix}
    for shot in shots:
        entry = current.get(shot.key) if _keeps_branch_entry(shot) else shot.entry()
        if entry is not None:
            entries[shot.key] = entry
    return entries


def _keeps_branch_entry(shot: Shot) -> bool:
    # A failure says nothing of the story, and a rejected removal was not accepted.
    return shot.diff_state == "failed" or (shot.diff_state == "removed" and shot.rejected)


def _after_partial(
    current: Entries, approval: Approval, shots: Collection[Shot]
) -> dict[VariantKey, Entry]:
    entries = dict(current)
    for shot in shots:
        if shot.diff_state == "removed":
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
    # The branch's own entries win, so that an older partial build reverts nothing. A branch
    # without any baseline starts from what its build was compared with.
    entry = shot.entry()
    if approval.branch_is_new and entry is not None:
        entries.setdefault(shot.key, entry)


def _removal_still_holds(current: Entries, approval: Approval, shot: Shot) -> bool:
    if shot.rejected:
        return False
    entry = current.get(shot.key)
    # Somebody approved another image of the story since, so there it is not gone.
    changed_since = entry is not None and entry.image != shot.baseline_image
    return not (approval.compared_with_own and changed_since)


@dataclass(frozen=True)
class Difference:
    """What one move does to a set."""

    ended: frozenset[VariantKey]
    begun: Mapping[VariantKey, Entry]


def difference(before: Entries, after: Entries) -> Difference:
    """Only what changed is written, so history costs only what changed."""
    ended = {
        key for key, entry in before.items() if key not in after or after[key].image != entry.image
    }
    begun = {
        key: entry
        for key, entry in after.items()
        if key not in before or before[key].image != entry.image
    }
    return Difference(frozenset(ended), begun)
