"""Group a build's screenshots: similar changes, new and removed screenshots, and the others.

The others are changes that the build's branch did not cause.
"""

import hashlib
import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from visual_review.builds.bulk_update import BATCH_SIZE, update_rows
from visual_review.builds.comparing.verdict_cache import analysis_of
from visual_review.builds.models import Build, ChangeGroup, Image, Screenshot
from visual_review.builds.states import CHANGED, GROUPED_STATES, NOT_FROM_BRANCH
from visual_review.imagediff.changes.grouping import (
    Group,
    describe_screenshot,
    group_changes,
    key_of,
    name_stories,
)

# Find the changes that a branch did not cause, from the hashes of both screenshots; pure.
#
# A hash of the renderer is ``format:version of the browser:parts:digest``, with two characters for
# each of ``PARTS``, as in docs/reference/ci-interface.md.

UNSTABLE: Final = "unstable"
SETTINGS: Final = "settings"
PARTS: Final = {
    "browser": "another build of the browser",
    "fonts": "other fonts",
    "flags": "other flags of the browser, or another locale",
    "capture": "another version of Visual Review",
    SETTINGS: "other capture settings",
}
PART_LENGTH: Final = 2
_RENDERER: Final = re.compile(r"(?P<format>\w+):(?P<version>[^:]+):(?P<parts>[^:]{10}):[^:]{20}")
GROUP_FIELDS: Final = (
    "number",
    "name",
    "kind",
    "position",
    "screenshot_count",
    "remainders",
    "revision",
)
# With other values in these fields, a group is not the group a reviewer has seen.
REVISION_FIELDS: Final = ("image_id", "baseline_image_id", "comparison_id")
Sizes = Mapping[int, tuple[int, int]]


class CapturedWith(NamedTuple):
    """The hashes of a screenshot; empty if its client sent no hashes."""

    source: str
    renderer: str


def find_other_cause(before: CapturedWith, after: CapturedWith) -> str:
    """Return why a changed screenshot is not from its branch; empty if the cause is uncertain."""
    if not all((*before, *after)) or before.source != after.source:
        return ""
    if before.renderer == after.renderer:
        return UNSTABLE
    old, new = _RENDERER.fullmatch(before.renderer), _RENDERER.fullmatch(after.renderer)
    if old is None or new is None or old["format"] != new["format"]:
        return ""
    parts = _differing(old["parts"], new["parts"])
    # The branch may have changed its own configuration file.
    if SETTINGS in parts or not parts:
        return ""
    if old["version"] != new["version"]:
        return _describe_versions(old["version"], new["version"])
    return ", ".join(PARTS[name] for name in parts)


def _differing(before: str, after: str) -> list[str]:
    starts = range(0, len(after), PART_LENGTH)
    pairs = ((before[at : at + PART_LENGTH], after[at : at + PART_LENGTH]) for at in starts)
    return [name for name, (old, new) in zip(PARTS, pairs, strict=True) if old != new]


def _describe_versions(before: str, after: str) -> str:
    major = before.partition(".")[0], after.partition(".")[0]
    old, new = (before, after) if major[0] == major[1] else major
    return f"Chromium {old} to {new}"


def name_other_causes(causes: Iterable[str]) -> str:
    """Return the name of the group of the screenshots, the most frequent cause first."""
    counts = Counter(causes)
    ordered = sorted(counts, key=lambda cause: (-counts[cause], cause))
    named = [f"{cause} ({counts[cause]:,})" if len(counts) > 1 else cause for cause in ordered]
    return f"Not from this branch: {', '.join(named)}"


@dataclass(frozen=True)
class FoundGroup:
    """Screenshots with similar changes, and screenshots with the same change and more besides."""

    key: str
    name: str
    kind: str
    members: tuple[Screenshot, ...]
    remainders: tuple[Screenshot, ...]

    @property
    def revision(self) -> str:
        """Digest of the members and their images: another one means another group to look at."""
        shown = sorted(
            f"{row.pk} {row.image_id} {row.baseline_image_id} {row.comparison_id}"
            for row in self.members
        )
        return hashlib.sha256("\n".join(shown).encode()).hexdigest()


def find_groups(rows: Collection[Screenshot]) -> list[FoundGroup]:
    """Return the groups of the changed ones among ``rows``, the rarest first."""
    changed = [
        row
        for row in rows
        if row.diff_state == CHANGED and row.comparison is not None and not row.not_from_branch
    ]
    sizes = _sizes_of(changed)
    by_key = {_key(row): row for row in changed}
    found = group_changes(
        [
            describe_screenshot(
                *(row.story_id, row.theme, row.device),
                before=sizes[row.baseline_image_id or 0],
                after=sizes[row.image_id or 0],
                analysis=analysis_of(row.comparison),
            )
            for row in changed
            if row.comparison is not None
        ]
    )
    return [_found_group(group, by_key) for group in found]


def store_groups(build: Build, rows: Iterable[Screenshot], groups: Sequence[FoundGroup]) -> None:
    """Write the locked build's groups, and set them on ``rows``; the caller writes the rows.

    A group with a known key keeps its id and number; the caller saves the build's
    ``last_group_number``.
    """
    known = {group.key: group for group in ChangeGroup.objects.filter(build=build)}
    stored = [
        _fill(known.get(group.key) or ChangeGroup(build=build, key=group.key), group, position)
        for position, group in enumerate(groups)
    ]
    for each in stored:
        if each.number is None:
            build.last_group_number += 1
            each.number = build.last_group_number
    update_rows([each for each in stored if each.key in known], GROUP_FIELDS)
    ChangeGroup.objects.bulk_create(
        [each for each in stored if each.key not in known], batch_size=BATCH_SIZE
    )
    ids = {
        row.pk: each.pk for group, each in zip(groups, stored, strict=True) for row in group.members
    }
    for row in rows:
        row.group_id = ids.get(row.pk)
    gone = known.keys() - {group.key for group in groups} - {*GROUPED_STATES, NOT_FROM_BRANCH}
    ChangeGroup.objects.filter(build=build, key__in=gone).delete()


def store_groups_of_states(build: Build, position: int) -> None:
    """Write the groups of new, of removed, and of other changes, from ``position`` on.

    The group of a state has the state as its key. The locked build's rows are written; the caller
    saves the build's ``last_group_number``.
    """
    rows = Screenshot.objects.filter(build=build, detection_only=False)
    found = {state: rows.filter(diff_state=state) for state in GROUPED_STATES}
    found[NOT_FROM_BRANCH] = rows.exclude(not_from_branch="")
    for key, chosen in found.items():
        members = tuple(chosen.only("story_id", "not_from_branch", *REVISION_FIELDS))
        known = ChangeGroup.objects.filter(build=build, key=key)
        if not members:
            known.delete()
            continue
        group = known.first() or ChangeGroup(build=build, key=key)
        if group.number is None:
            build.last_group_number += 1
            group.number = build.last_group_number
        _fill(group, FoundGroup(key, _name(key, members), "", members, ()), position).save()
        chosen.exclude(group=group).update(group=group)
        position += 1


def _name(key: str, members: Collection[Screenshot]) -> str:
    if key == NOT_FROM_BRANCH:
        return name_other_causes(row.not_from_branch for row in members)
    return name_stories(key, {row.story_id for row in members})


def delete_groups(build: Build) -> None:
    """Delete all groups of a build before a comparison with another baseline."""
    ChangeGroup.objects.filter(build=build).delete()


def _sizes_of(rows: Collection[Screenshot]) -> Sizes:
    wanted = {row.baseline_image_id or 0 for row in rows} | {row.image_id or 0 for row in rows}
    found = Image.objects.filter(pk__in=wanted).values_list("pk", "width", "height")
    return {image: (width, height) for image, width, height in found}


def _key(row: Screenshot) -> str:
    return key_of(row.story_id, row.theme, row.device)


def _found_group(group: Group, by_key: Mapping[str, Screenshot]) -> FoundGroup:
    return FoundGroup(
        key=group.key,
        name=group.name,
        kind=group.kind or "",
        members=tuple(by_key[key] for key in group.members),
        remainders=tuple(by_key[key] for key in group.remainders),
    )


def _fill(row: ChangeGroup, group: FoundGroup, position: int) -> ChangeGroup:
    row.name, row.kind, row.position = group.name, group.kind, position
    row.screenshot_count, row.revision = len(group.members), group.revision
    row.remainders = [remainder.pk for remainder in group.remainders]
    return row
