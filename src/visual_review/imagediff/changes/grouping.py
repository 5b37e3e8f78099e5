"""Group the screenshots of a build that changed alike; pure."""

import hashlib
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from visual_review.imagediff.changes.alikeness import Extent, extents_near, have_same_content
from visual_review.imagediff.changes.model import Analysis, ChangeKind
from visual_review.imagediff.changes.structures import changed_alike

Size = tuple[int, int]


@dataclass(frozen=True, slots=True)
class ChangedScreenshot:
    """A changed screenshot; ``key`` identifies it for the caller.

    ``family`` is what its story belongs to, such as a component. ``before`` and ``after`` are width
    and height in pixels.
    """

    key: str
    family: str
    story: str
    theme: str
    device: str
    before: Size
    after: Size
    analysis: Analysis


@dataclass(frozen=True, slots=True)
class Group:
    """Screenshots that changed alike.

    ``key`` stays the same when the same screenshots are grouped again, ``name`` says what they
    share. ``outliers`` belong to the same family and changed otherwise.
    """

    key: str
    name: str
    kind: ChangeKind | None
    members: tuple[str, ...]
    outliers: tuple[str, ...] = ()


# More names than this are counted.
MOST_NAMES: Final = 3
KIND_PHRASES: Final[dict[ChangeKind, str]] = {
    "vanished": "content vanished",
    "appeared": "content appeared",
    "text": "text changed",
    "color": "only colors changed",
    "resized": "the size changed",
    "moved": "content moved",
    "pixels": "pixels differ",
    "faint": "faint change",
    "noise": "rendering noise",
}
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


def name_group(members: Sequence[ChangedScreenshot]) -> str:
    """Return what was changed where, such as "same change in 12 stories: text changed"."""
    what = _describe_change(members)
    if len(members) == 1:
        return what
    where = _describe_place(members)
    return f"{where}: {what}"


def find_kind(members: Sequence[ChangedScreenshot]) -> ChangeKind | None:
    """Return the kind that most have; of equally many, the first by name."""
    counted = Counter(member.analysis.kind for member in members)
    most = max(counted.values())
    return min((kind for kind, count in counted.items() if count == most), key=str)


def _describe_change(members: Sequence[ChangedScreenshot]) -> str:
    summaries = {member.analysis.summary for member in members}
    if len(summaries) == 1:
        return summaries.pop()
    growths = {(member.before, member.after) for member in members}
    if len(growths) == 1 and (growth := growths.pop())[0] != growth[1]:
        return f"{_verb(*growth)} from {_format(growth[0])} to {_format(growth[1])}"
    kind = find_kind(members)
    return KIND_PHRASES[kind] if kind else "pixels differ"


def _verb(before: Size, after: Size) -> str:
    if after[0] >= before[0] and after[1] >= before[1]:
        return "all grew"
    if after[0] <= before[0] and after[1] <= before[1]:
        return "all shrank"
    return "all changed size"


def _format(size: Size) -> str:
    return f"{size[0]}x{size[1]}"


def _describe_place(members: Sequence[ChangedScreenshot]) -> str:
    stories = {member.story for member in members}
    if len(stories) > 1:
        return f"same change in {len(stories)} stories"
    themes = {member.theme for member in members}
    devices = {member.device for member in members}
    if len(themes) > 1 and len(devices) == 1:
        return _list_names(themes, "themes")
    if len(devices) > 1 and len(themes) == 1:
        return _list_names(devices, "devices")
    return f"same change in {len(members)} variants"


def _list_names(names: Collection[str], noun: str) -> str:
    # Light comes first by habit, so that the name reads "light and dark".
    listed = sorted(names, key=lambda name: (name == "dark", name))
    if len(listed) > MOST_NAMES:
        return f"same change on {len(listed)} {noun}"
    return " and ".join([", ".join(listed[:-1]), listed[-1]])
