"""Which decisions of the review log still stand, after some were undone; pure."""

from collections.abc import Collection, Iterable, Sequence
from typing import NamedTuple

from visual_review.builds.states import CLEARED, REJECTED, UNDONE
from visual_review.builds.variants import VariantKey


class LogEntry(NamedTuple):
    """A decision on a screenshot: on a story and variant in a build."""

    id: int
    build_id: str
    key: VariantKey
    decision: str


def effective_entries(entries: Iterable[LogEntry]) -> list[LogEntry]:
    """Return the decisions that were not undone, in the order of their ids, as given.

    An undo takes back the newest standing decision on its screenshot: the newest is undone first.
    """
    effective: dict[int, LogEntry] = {}
    newest: dict[tuple[str, VariantKey], list[int]] = {}
    for entry in entries:
        stack = newest.setdefault((entry.build_id, entry.key), [])
        if entry.decision != UNDONE:
            effective[entry.id] = entry
            stack.append(entry.id)
        elif stack:
            del effective[stack.pop()]
    return list(effective.values())


def withdrawn_rejections(entries: Iterable[LogEntry]) -> set[int]:
    """Return the ids of the rejections that were undone, or cleared and not decided otherwise."""
    found = list(entries)
    rejected = {entry.id for entry in found if entry.decision == REJECTED}
    effective = effective_entries(found)
    previous: dict[tuple[str, VariantKey], LogEntry] = {}
    cleared = set()
    for entry in effective:
        place = (entry.build_id, entry.key)
        if entry.decision == CLEARED and place in previous:
            cleared.add(previous[place].id)
        previous[place] = entry
    return (rejected - {entry.id for entry in effective}) | (rejected & cleared)


def is_any_rejected(entries: Sequence[LogEntry], alike: Iterable[Collection[int]]) -> bool:
    """Return whether one of the rejected screenshots is still rejected as it was.

    ``alike`` has the rejections of each screenshot that say the same: the last that was not undone
    must not be cleared either. A later decision that says something else does not matter.
    """
    effective = {entry.id for entry in effective_entries(entries)}
    withdrawn = withdrawn_rejections(entries)
    last = (max(effective.intersection(ids), default=None) for ids in alike)
    return any(found is not None and found not in withdrawn for found in last)
