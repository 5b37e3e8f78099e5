"""Group the screenshots of a build that changed alike; pure."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

from visual_review.imagediff.changes.model import Analysis, ChangeKind

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


def group_changes(shots: Sequence[ChangedScreenshot]) -> tuple[Group, ...]:
    """Return groups, the largest first; each screenshot is in one, be it alone."""
    found: dict[str, list[ChangedScreenshot]] = {}
    for shot in shots:
        found.setdefault(shot.analysis.signature.content or shot.key, []).append(shot)
    groups = [_make_group(members) for members in found.values()]
    return tuple(sorted(groups, key=lambda group: (-len(group.members), group.members)))


def _make_group(members: Sequence[ChangedScreenshot]) -> Group:
    keys = tuple(sorted(each.key for each in members))
    digest = hashlib.blake2b("\n".join(keys).encode(), digest_size=16).hexdigest()
    analysis = members[0].analysis
    return Group(digest, analysis.summary, analysis.kind, keys)
