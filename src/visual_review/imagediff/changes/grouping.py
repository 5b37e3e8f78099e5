"""Group the screenshots of a build by shared causes; pure.

A screenshot with any change of its own is never in a group: a decision on the group would also
decide changes invisible in the group.
"""

import hashlib
import re
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from visual_review.imagediff.changes.causes import (
    MOVED,
    Cause,
    ChangedScreenshot,
    Explanation,
    Size,
    colors_of,
    explain_changes,
)
from visual_review.imagediff.changes.model import Analysis, ChangeKind, Displacement, Offset, Part
from visual_review.imagediff.changes.structures import changed_alike
from visual_review.imagediff.changes.wording import FAINT_PREFIX, describe_move
from visual_review.imagediff.model import Box

__all__ = [
    "ChangedScreenshot",
    "Group",
    "Size",
    "describe_screenshot",
    "group_changes",
    "key_of",
    "name_stories",
]
Causes = frozenset[Cause]
Members = list[ChangedScreenshot]
Place = tuple[str, str, str, Size, Size]
ByPlace = dict[Place, ChangedScreenshot]
# A header begins near the top, ends in these rows, and is about as wide as the page.
HEADER: Final = 200
MOST: Final = 0.8
SEVERAL: Final = 3
SIZE: Final = re.compile(r"( in)? \d+x\d+")
PLACE: Final = re.compile(r" (at \d[\d,]*|below y=\d[\d,]*)( and \d[\d,]* more places?)?")


@dataclass(frozen=True, slots=True)
class Group:
    """Screenshots changed by the same cause."""

    # Stays the same when the same screenshots are grouped again.
    key: str
    # The shared cause.
    name: str
    kind: ChangeKind | None
    members: tuple[str, ...]
    # Screenshots with the cause of the group and more changes, in groups of their own.
    remainders: tuple[str, ...] = ()


@dataclass(slots=True)
class _Draft:
    """A group in the making; a screenshot with ``own`` changes is alone in its draft."""

    causes: Causes
    members: Members
    own: int = 0
    of: "_Draft | None" = None


def key_of(story_id: str, theme: str, device: str) -> str:
    """Return a key, the same in another build with the same changes."""
    return f"{story_id} {theme} {device}"


def family_of(story_id: str) -> str:
    """Return the component of a story, named before ``--`` in its ID."""
    return story_id.partition("--")[0]


def describe_screenshot(
    story_id: str, theme: str, device: str, *, before: Size, after: Size, analysis: Analysis
) -> ChangedScreenshot:
    """Return the changed screenshot of a story in the form for grouping."""
    family = family_of(story_id)
    key = key_of(story_id, theme, device)
    return ChangedScreenshot(key, family, story_id, device, before, after, analysis)


def name_stories(state: str, stories: Collection[str]) -> str:
    """Return the name of the group of all new or all removed stories."""
    return f"{len(stories):,} {state} {'story' if len(stories) == 1 else 'stories'}"


def group_changes(shots: Sequence[ChangedScreenshot]) -> tuple[Group, ...]:
    """Return groups, the rarest first; each screenshot is in one, possibly alone."""
    explained = list(zip(shots, explain_changes(shots), strict=True))
    shared = _group_shared([each for each in explained if not each[1].own])
    index = _index(shared)
    alone = [
        _Draft(found.causes, [shot], own=found.own, of=_find_largest(found.causes, index))
        for shot, found in explained
        if found.own
    ]
    # In an order independent of the screenshots: the first of joined groups gives the key.
    drafts = _join_themes(sorted([*shared, *alone], key=_identify))
    remainders: dict[int, list[str]] = {}
    for draft in drafts:
        if draft.of is not None:
            keys = (shot.key for shot in draft.members)
            remainders.setdefault(id(draft.of), []).extend(keys)
    groups = [(_rank(draft), _make_group(draft, remainders.get(id(draft), ()))) for draft in drafts]
    return tuple(group for _, group in sorted(groups, key=lambda each: (each[0], each[1].members)))


def _group_shared(explained: Iterable[tuple[ChangedScreenshot, Explanation]]) -> list[_Draft]:
    """Group screenshots with exactly the same causes, so no member lacks a cause of its group."""
    by_causes: dict[Causes, Members] = {}
    for shot, found in explained:
        by_causes.setdefault(found.causes, []).append(shot)
    return [_Draft(causes, members) for causes, members in by_causes.items()]


def _index(drafts: Iterable[_Draft]) -> dict[Cause, list[_Draft]]:
    """Return drafts by one of their causes, for a short search."""
    found: dict[Cause, list[_Draft]] = {}
    for draft in drafts:
        found.setdefault(max(draft.causes), []).append(draft)
    return found


def _find_largest(causes: Causes, index: dict[Cause, list[_Draft]]) -> _Draft | None:
    """Return the largest group without a cause that the screenshot lacks."""
    found = (
        draft
        for cause in sorted(causes)
        for draft in index.get(cause, ())
        if draft.causes <= causes and (MOVED in draft.causes) == (MOVED in causes)
    )
    return max(found, key=lambda draft: (len(draft.members), sorted(draft.causes)), default=None)


def _join_themes(drafts: Sequence[_Draft]) -> list[_Draft]:
    """Join groups if a story changed alike in two themes."""
    joined: list[_Draft] = []
    places: list[ByPlace] = []
    # Groups without a story in common are never alike.
    by_place: dict[Place, list[int]] = {}
    homes: dict[int, _Draft] = {}
    for draft in drafts:
        own = {_place(shot): shot for shot in draft.members}
        near = sorted({at for place in own for at in by_place.get(place, ())})
        home = next(
            (
                at
                for at in near
                # A structure has no colors: a change in only one theme may be a defect.
                if bool(draft.own) == bool(joined[at].own)
                and _are_themes_alike(draft.members, places[at])
            ),
            None,
        )
        if home is None:
            home = len(joined)
            joined.append(draft)
            places.append({})
        else:
            joined[home].members.extend(draft.members)
        homes[id(draft)] = joined[home]
        places[home].update(own)
        for place in own:
            by_place.setdefault(place, []).append(home)
    for draft in joined:
        draft.of = homes[id(draft.of)] if draft.of is not None else None
    return joined


def _are_themes_alike(ours: Members, theirs: ByPlace) -> bool:
    """Compare all pairs with different themes only: at least one exists, and all are alike."""
    pairs = [(shot, theirs[_place(shot)]) for shot in ours if _place(shot) in theirs]
    return bool(pairs) and all(
        _offsets(one) == _offsets(two)
        and changed_alike(one.analysis.signature.structure, two.analysis.signature.structure)
        for one, two in pairs
    )


def _offsets(shot: ChangedScreenshot) -> set[Offset]:
    return {each.offset for each in shot.analysis.signature.moves}


def _place(shot: ChangedScreenshot) -> Place:
    return shot.family, shot.story, shot.device, shot.before, shot.after


def _identify(draft: _Draft) -> tuple[list[Cause], str]:
    return sorted(draft.causes), min(shot.key for shot in draft.members)


def _rank(draft: _Draft) -> tuple[bool, int, float]:
    """Order rare before common: a defect is rare, and an intended change is common."""
    severity = max(shot.analysis.severity for shot in draft.members)
    is_trivial = all(shot.analysis.kind == "scrollbar" for shot in draft.members)
    return is_trivial, len(draft.members), -severity


def _make_group(draft: _Draft, remainders: Collection[str]) -> Group:
    members = sorted(draft.members, key=lambda shot: shot.key)
    is_shared = len(members) > 1 and not draft.own
    # By its causes, a group is found again although another screenshot has joined.
    identity = sorted(draft.causes) if is_shared else [shot.key for shot in members]
    return Group(
        key=hashlib.blake2b("\n".join(identity).encode(), digest_size=16).hexdigest(),
        name=_name(draft, members),
        kind=find_kind(members),
        members=tuple(shot.key for shot in members),
        remainders=tuple(sorted(remainders)),
    )


def _name(draft: _Draft, members: Members) -> str:
    if draft.of is not None:
        more = f"{draft.own:,} more change{'' if draft.own == 1 else 's'} only here"
        return f"{name_cause(draft.of.members, draft.of.causes)}, and {more}"
    if len(members) == 1:
        return members[0].analysis.summary
    if draft.own:
        return name_summary(members[0].analysis.summary)
    return name_cause(members, draft.causes)


def find_kind(members: Sequence[ChangedScreenshot]) -> ChangeKind | None:
    """Return the most common kind; of equally common ones, the first by name."""
    counted = Counter(member.analysis.kind for member in members)
    most = max(counted.values())
    return min((kind for kind, count in counted.items() if count == most), key=str)


def name_cause(members: Sequence[ChangedScreenshot], causes: frozenset[Cause]) -> str:
    """Return such as "Header taller by 16 px" or "#0b6e4f is now #7a1f5c"."""
    shot = min(members, key=lambda each: each.key)
    moves = shot.analysis.signature.moves
    if MOVED in causes and moves:
        return _name_move(shot, max(moves, key=_area))
    parts = sorted(shot.analysis.signature.parts or (), key=lambda part: _size(part.box))
    recolored = [part for part in parts if colors_of(part) in causes]
    if recolored and recolored[-1].recolored:
        return "{} is now {}".format(*recolored[-1].recolored)
    if not parts:
        return "Another size"
    return _name_part(shot, parts[-1])


def name_summary(summary: str) -> str:
    """Return the beginning of a sentence, without size and place."""
    what = PLACE.sub("", SIZE.sub("", summary.removeprefix(FAINT_PREFIX).partition("; ")[0]))
    return what[:1].upper() + what[1:]


def _name_move(shot: ChangedScreenshot, move: Displacement) -> str:
    width, height = shot.after
    box, offset = move.box, move.offset
    source = box.y - offset.y
    is_page = box.width >= MOST * width and box.y + box.height >= MOST * height
    if is_page and not offset.x and 0 < source <= HEADER:
        return f"Header {'taller' if offset.y > 0 else 'shorter'} by {abs(offset.y):,} px"
    return f"Content {describe_move(offset)}"


def _name_part(shot: ChangedScreenshot, part: Part) -> str:
    first = part.what.removeprefix(FAINT_PREFIX).partition(", ")[0]
    what = SIZE.sub("", first.partition(" in ")[0])
    before, is_colors, after = what.partition(" to ")
    name = f"{before} is now {after}" if is_colors else what[:1].upper() + what[1:]
    box = part.box
    # An image hardly higher than the box is no page.
    is_page = SEVERAL * (box.y + box.height) <= shot.after[1]
    is_header = is_page and box.y + box.height <= HEADER and box.width >= MOST * shot.after[0]
    return f"{name} in the header" if is_header else name


def _area(move: Displacement) -> int:
    return _size(move.box)


def _size(box: Box) -> int:
    return box.width * box.height
