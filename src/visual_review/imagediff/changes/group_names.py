"""Name a group by what its screenshots share."""

from collections import Counter
from collections.abc import Collection, Sequence
from typing import Final

from visual_review.imagediff.changes.group_model import ChangedScreenshot, Size
from visual_review.imagediff.changes.model import ChangeKind

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
