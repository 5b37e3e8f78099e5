"""Group the screenshots of a build that changed alike; pure."""

import hashlib
from collections import Counter
from collections.abc import Iterable, Sequence

from visual_review.imagediff.changes.alikeness import Extent, extents_near, have_same_content
from visual_review.imagediff.changes.group_model import ChangedScreenshot, Group, Size
from visual_review.imagediff.changes.group_names import find_kind, name_group
from visual_review.imagediff.changes.structures import changed_alike

__all__ = ["ChangedScreenshot", "Group", "Size", "group_changes"]

# Builds may have thousands of changes of one size, each different from all others. What is beyond
# these numbers begins a group of its own, which costs a decision and hides nothing.
MOST_CLUSTERS, MOST_CONTENTS = 100, 100

Members = list[ChangedScreenshot]
Place = tuple[str, str, str, Size, Size]
ByPlace = dict[Place, ChangedScreenshot]


def group_changes(shots: Sequence[ChangedScreenshot]) -> tuple[Group, ...]:
    """Return groups, the largest first; each screenshot is in one, be it alone."""
    found = _join_themes(_join_moves(_group_by_content(shots)))
    outliers = _find_outliers(found)
    groups = [_make_group(members, others) for members, others in zip(found, outliers, strict=True)]
    return tuple(sorted(groups, key=lambda group: (-len(group.members), group.members)))


def _group_by_content(shots: Iterable[ChangedScreenshot]) -> list[Members]:
    """Put together what replaced the same by the same, wherever it is."""
    exact: dict[str, Members] = {}
    alone: list[Members] = []
    for shot in shots:
        content = shot.analysis.signature.content
        if content:
            exact.setdefault(content, []).append(shot)
        else:
            alone.append([shot])
    clusters = _cluster(sorted(exact))
    return [[shot for content in each for shot in exact[content]] for each in clusters] + alone


def _cluster(contents: Iterable[str]) -> list[list[str]]:
    """Put together contents that are alike, comparing only those of about the same extent."""
    clusters: list[list[str]] = []
    by_extent: dict[Extent, list[int]] = {}
    for content in contents:
        own, *near = extents_near(content)
        candidates = sorted(at for extent in (own, *near) for at in by_extent.get(extent, ()))
        # Each is like every other of its cluster: a chain of small differences makes no group.
        found = next(
            (
                clusters[at]
                for at in candidates[:MOST_CLUSTERS]
                if len(clusters[at]) < MOST_CONTENTS
                and all(have_same_content(content, other) for other in clusters[at])
            ),
            None,
        )
        if found is None:
            by_extent.setdefault(own, []).append(len(clusters))
            clusters.append([content])
        else:
            found.append(content)
    return clusters


def _join_moves(groups: Sequence[Members]) -> list[Members]:
    """Join groups whose members moved by the same, with the same besides."""
    joined: dict[str, Members] = {}
    for index, members in enumerate(groups):
        shapes = {shot.analysis.signature.geometry for shot in members}
        key = shapes.pop() if len(shapes) == 1 else ""
        joined.setdefault(key or f"alone {index}", []).extend(members)
    return list(joined.values())


def _join_themes(groups: Sequence[Members]) -> list[Members]:
    """Join groups in which a story changed alike in two themes."""
    joined: list[Members] = []
    variants: list[ByPlace] = []
    # Groups without a story in common are never alike.
    by_place: dict[Place, list[int]] = {}
    for members in groups:
        own = {_place(shot): shot for shot in members}
        near = sorted({at for place in own for at in by_place.get(place, ())})
        alike = next((at for at in near if _are_themes_alike(members, variants[at])), None)
        if alike is None:
            alike = len(joined)
            joined.append([])
            variants.append({})
        joined[alike].extend(members)
        variants[alike].update(own)
        for place in own:
            by_place.setdefault(place, []).append(alike)
    return joined


def _are_themes_alike(ours: Members, theirs: ByPlace) -> bool:
    """Compare all pairs that differ in theme alone: there is one at least, and all are alike."""
    pairs = [(shot, theirs[_place(shot)]) for shot in ours if _place(shot) in theirs]
    return bool(pairs) and all(
        changed_alike(one.analysis.signature.structure, two.analysis.signature.structure)
        for one, two in pairs
    )


def _place(shot: ChangedScreenshot) -> Place:
    return shot.family, shot.story, shot.device, shot.before, shot.after


def _find_outliers(found: Sequence[Members]) -> list[list[str]]:
    """Return for each group those of its families that changed otherwise than most of them."""
    families: dict[str, list[str]] = {}
    for members in found:
        for shot in members:
            families.setdefault(shot.family, []).append(shot.key)
    outliers: list[list[str]] = []
    for members in found:
        own = Counter(shot.family for shot in members)
        led = [name for name, count in own.items() if count > 1 and len(families[name]) < 2 * count]
        keys = {shot.key for shot in members}
        outliers.append(sorted(key for name in led for key in families[name] if key not in keys))
    return outliers


def _make_group(members: Members, outliers: Sequence[str]) -> Group:
    members = sorted(members, key=lambda shot: shot.key)
    keys = tuple(shot.key for shot in members)
    digest = hashlib.blake2b("\n".join(keys).encode(), digest_size=16).hexdigest()
    return Group(digest, name_group(members), find_kind(members), keys, tuple(outliers))
