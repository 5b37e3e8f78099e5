"""Group the screenshots of a build that changed alike; pure."""

import hashlib
from collections import Counter
from collections.abc import Iterable, Sequence

from visual_review.imagediff.changes.alikeness import have_same_content
from visual_review.imagediff.changes.group_model import ChangedScreenshot, Group, Size
from visual_review.imagediff.changes.group_names import find_kind, name_group
from visual_review.imagediff.changes.structures import changed_alike

__all__ = ["ChangedScreenshot", "Group", "Size", "group_changes"]

Members = list[ChangedScreenshot]


def group_changes(shots: Sequence[ChangedScreenshot]) -> tuple[Group, ...]:
    """Return groups, the largest first; each screenshot is in one, be it alone."""
    found = _join_themes(_group_by_content(shots))
    outliers = _find_outliers(found)
    groups = [_make_group(members, others) for members, others in zip(found, outliers, strict=True)]
    return tuple(sorted(groups, key=lambda group: (-len(group.members), group.members)))


def _group_by_content(shots: Iterable[ChangedScreenshot]) -> list[Members]:
    """Put together what replaced the same by the same, wherever it is."""
    exact: dict[str, Members] = {}
    for shot in shots:
        content = shot.analysis.signature.content
        exact.setdefault(content or f"alone {shot.key}", []).append(shot)
    clusters: list[list[str]] = []
    # Each is like every other of its cluster: a chain of small differences makes no group.
    for content in sorted(exact):
        for cluster in clusters:
            if all(have_same_content(content, other) for other in cluster):
                cluster.append(content)
                break
        else:
            clusters.append([content])
    return [[shot for content in cluster for shot in exact[content]] for cluster in clusters]


def _join_themes(groups: Sequence[Members]) -> list[Members]:
    """Join groups in which a story changed alike in two themes."""
    joined: list[Members] = []
    for members in groups:
        alike = next((other for other in joined if _are_themes_alike(members, other)), None)
        if alike is None:
            joined.append(list(members))
        else:
            alike.extend(members)
    return joined


def _are_themes_alike(ours: Members, theirs: Members) -> bool:
    """Compare all pairs that differ in theme alone: there is one at least, and all are alike."""
    variants = {_place(shot): shot for shot in theirs}
    pairs = [(shot, variants[_place(shot)]) for shot in ours if _place(shot) in variants]
    return bool(pairs) and all(
        changed_alike(one.analysis.signature.structure, two.analysis.signature.structure)
        for one, two in pairs
    )


def _place(shot: ChangedScreenshot) -> tuple[str, str, str, Size, Size]:
    return shot.family, shot.story, shot.device, shot.before, shot.after


def _find_outliers(found: Sequence[Members]) -> list[list[str]]:
    """Return for each group those of its families that changed otherwise than most of them."""
    families = Counter(shot.family for members in found for shot in members)
    outliers: list[list[str]] = []
    for members in found:
        own = Counter(shot.family for shot in members)
        led = {name for name, count in own.items() if count > 1 and 2 * count > families[name]}
        keys = {shot.key for shot in members}
        outliers.append(
            sorted(
                shot.key
                for others in found
                for shot in others
                if shot.family in led and shot.key not in keys
            )
        )
    return outliers


def _make_group(members: Members, outliers: Sequence[str]) -> Group:
    members = sorted(members, key=lambda shot: shot.key)
    keys = tuple(shot.key for shot in members)
    digest = hashlib.blake2b("\n".join(keys).encode(), digest_size=16).hexdigest()
    return Group(digest, name_group(members), find_kind(members), keys, tuple(outliers))
