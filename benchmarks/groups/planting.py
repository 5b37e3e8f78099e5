"""Plant defects in a third of a build, group the build, and find groups that mix the two."""

import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from tests.support.imagediff.defects import DEFECT_KINDS, DefectKind, plant_defect

from benchmarks.groups.builds import BuildOfShots, Shot, choose, make_shot
from visual_review.imagediff.changes.grouping import Group, group_changes
from visual_review.imagediff.changes.model import Analysis, ChangeKind
from visual_review.imagediff.model import Box

SHARE: Final = 1 / 3
# A person's name for each defect; more than one if an element moved or is partly gone.
RIGHT_KINDS: Final[dict[DefectKind, frozenset[ChangeKind]]] = {
    "vanished": frozenset({"vanished"}),
    "torn": frozenset({"moved", "pixels", "text"}),
    "swapped": frozenset({"color"}),
    "truncated": frozenset({"vanished", "text", "pixels"}),
    "low_contrast": frozenset({"color", "faint", "text"}),
    "stray_label": frozenset({"appeared", "text"}),
}


@dataclass(frozen=True)
class PlantedDefect:
    """A screenshot with a defect; ``changed_before`` is False where the defect hid nothing."""

    kind: DefectKind
    shot: Shot
    is_kind_right: bool


@dataclass(frozen=True)
class PlantedBuild:
    """One build with defects of one seed.

    ``mixed`` are groups with a defect and an intended change, ``first`` is the share of defects
    among as many of the most severe screenshots as there are defects.
    """

    build: str
    seed: int
    screenshots: int
    groups: int
    largest: int
    plants: tuple[PlantedDefect, ...]
    mixed: tuple[str, ...]
    first: float


def plant_and_group(build: BuildOfShots, seed: int) -> PlantedBuild:
    """Return the groups of the build with defects."""
    rng = random.Random(f"{build.name} {seed}")
    plants: dict[str, PlantedDefect] = {}
    for index, shot in enumerate(choose(build.shots, SHARE, rng)):
        kind = DEFECT_KINDS[(index + seed) % len(DEFECT_KINDS)]
        plant = _plant(shot, kind, seed)
        if plant is not None:
            plants[shot.name] = plant
    changed = [
        (plants[shot.name].shot if shot.name in plants else shot).changed for shot in build.shots
    ]
    groups = group_changes(changed)
    ordered = sorted(changed, key=lambda each: -each.analysis.severity)
    worst = {each.key for each in ordered[: len(plants)]}
    return PlantedBuild(
        *(build.name, seed, len(changed), len(groups), len(groups[-1].members)),
        *(tuple(plants.values()), find_mixed(groups, frozenset(plants))),
        first=len(worst & plants.keys()) / max(1, len(plants)),
    )


def find_mixed(groups: Sequence[Group], planted: frozenset[str]) -> tuple[str, ...]:
    """Return a line for each group with a defect next to an intended change."""
    return tuple(
        f"{group.name}: {', '.join(sorted(set(group.members) & planted))}"
        for group in groups
        if planted.intersection(group.members) and not planted.issuperset(group.members)
    )


def _plant(shot: Shot, kind: DefectKind, seed: int) -> PlantedDefect | None:
    defect = plant_defect(shot.after, kind, f"{shot.name} {seed}", shot.boxes)
    if defect is None:
        return None
    planted = make_shot(shot.name, shot.before, defect.png)
    if planted is None:
        return None
    found = _kind_at(planted.changed.analysis, defect.box)
    return PlantedDefect(kind, planted, found in RIGHT_KINDS[kind])


def _kind_at(analysis: Analysis, box: Box) -> ChangeKind | None:
    """Return the kind of the change with the best fit to the box of a defect."""
    best, kind = 0.0, None
    for change in analysis.changes:
        share = _overlap(change.box, box)
        if share > best:
            best, kind = share, change.kind
    return kind


def _overlap(one: Box, two: Box) -> float:
    width = min(one.x + one.width, two.x + two.width) - max(one.x, two.x)
    height = min(one.y + one.height, two.y + two.height) - max(one.y, two.y)
    if width <= 0 or height <= 0:
        return 0.0
    both = width * height
    return both / (one.width * one.height + two.width * two.height - both)
