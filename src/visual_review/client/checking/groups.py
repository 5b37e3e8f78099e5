"""The findings of a check, expected or not, grouped as the server would group a build; pure."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from itertools import chain
from typing import Any, Final

from visual_review.client.capture import Variant
from visual_review.client.checking.baseline import Key
from visual_review.client.comparing.outcomes import Outcome, State
from visual_review.client.transport.errors import InputError
from visual_review.imagediff.changes.grouping import (
    Group,
    Size,
    describe_screenshot,
    group_changes,
    key_of,
    name_stories,
)
from visual_review.imagediff.changes.model import change_to_json
from visual_review.variants import DEVICES, THEMES

# In the order of a review.
DIFFERING: Final[tuple[State, ...]] = ("changed", "new", "removed", "failed")
SIDES: Final = ("x", "y", "width", "height")
NOTHING: Final = "none"


@dataclass(frozen=True, slots=True)
class CheckedScreenshot:
    """One screenshot that differs or failed."""

    story_id: str
    title: str
    variant: Variant
    outcome: Outcome
    # The sizes of the two images, None for a missing image.
    before: Size | None = None
    after: Size | None = None
    unstable: str = ""

    @property
    def key(self) -> Key:
        return self.story_id, self.variant

    @property
    def state(self) -> State:
        return self.outcome.state

    @property
    def group_key(self) -> str:
        return key_of(self.story_id, self.variant.theme, self.variant.device)

    @property
    def rank(self) -> tuple[float, str, str, str]:
        analysis = self.outcome.analysis
        severity = analysis.severity if analysis and self.state == "changed" else 0.0
        return (-severity, self.story_id, self.variant.theme, self.variant.device)


@dataclass(frozen=True, slots=True)
class CheckedGroup:
    """Screenshots that changed alike, or that are new, removed or failed."""

    # None for failed screenshots, as the server puts failed screenshots into no group.
    number: int | None
    # Empty for failed screenshots.
    name: str
    members: tuple[CheckedScreenshot, ...]
    # Screenshots with the change of the group and further changes.
    remainders: tuple[Key, ...] = ()


@dataclass(frozen=True, slots=True)
class Findings:
    """All groups in the order of a review, and the number of unchanged screenshots."""

    groups: Sequence[CheckedGroup]
    unchanged: int
    # Unchanged screenshots not captured, because all files of their stories are unchanged.
    inherited: int

    @property
    def screenshots(self) -> list[CheckedScreenshot]:
        """All different or failed screenshots in the order of their numbers, which begin with 1."""
        return list(chain.from_iterable(group.members for group in self.groups))

    def count(self, state: State) -> int:
        return sum(each.state == state for each in self.screenshots)


def group_screenshots(shots: Iterable[CheckedScreenshot]) -> tuple[CheckedGroup, ...]:
    """Return the groups of different or failed screenshots; some groups have one screenshot."""
    listed = sorted(shots, key=lambda each: each.rank)
    by_state = {state: [each for each in listed if each.state == state] for state in DIFFERING}
    groups = [*_group_changed(by_state["changed"])]
    for state in ("new", "removed"):
        if members := by_state[state]:
            name = name_stories(state, {each.story_id for each in members})
            groups.append(CheckedGroup(len(groups) + 1, name, tuple(members)))
    if failed := by_state["failed"]:
        groups.append(CheckedGroup(None, "", tuple(failed)))
    return tuple(groups)


def _group_changed(listed: Sequence[CheckedScreenshot]) -> Iterable[CheckedGroup]:
    by_key = {each.group_key: each for each in listed}
    for number, group in enumerate(_find_groups(listed), 1):
        members = sorted((by_key[key] for key in group.members), key=lambda each: each.rank)
        remainders = tuple(by_key[key].key for key in group.remainders)
        yield CheckedGroup(number, group.name, tuple(members), remainders)


def _find_groups(listed: Sequence[CheckedScreenshot]) -> Sequence[Group]:
    return group_changes(
        [
            describe_screenshot(
                *(each.story_id, each.variant.theme, each.variant.device),
                before=each.before or (0, 0),
                after=each.after or (0, 0),
                analysis=each.outcome.analysis,
            )
            for each in listed
            if each.outcome.analysis is not None
        ]
    )


def describe_groups(findings: Findings) -> list[dict[str, Any]]:
    """Return the groups as the server's ``list_changes`` describes the groups of a new build."""
    numbers = {each.key: number for number, each in enumerate(findings.screenshots, 1)}
    return [
        {
            "number": group.number,
            "name": group.name,
            "screenshotCount": len(group.members),
            "remainders": sorted(numbers[key] for key in group.remainders),
            "changes": [_describe(each, numbers[each.key]) for each in group.members],
        }
        for group in findings.groups
    ]


def _describe(shot: CheckedScreenshot, number: int) -> dict[str, Any]:
    outcome = shot.outcome
    analysis = outcome.analysis if shot.state == "changed" else None
    return {
        "number": number,
        "storyId": shot.story_id,
        "theme": shot.variant.theme,
        "device": shot.variant.device,
        "diffState": shot.state,
        "kind": analysis.kind if analysis else None,
        "summary": (analysis.summary if analysis else outcome.message) or None,
        "boxes": _describe_boxes(outcome) if analysis else [],
        "sizeBefore": _describe_size(shot.before),
        "sizeAfter": _describe_size(shot.after),
        "faintPixels": analysis.faint_pixels if analysis else 0,
        "unstable": shot.unstable or None,
    }


def _describe_boxes(outcome: Outcome) -> list[dict[str, int]]:
    if outcome.analysis is not None and outcome.analysis.changes:
        found = [change_to_json(change) for change in outcome.analysis.changes]
        return [{side: each[side] for side in SIDES} for each in found]
    boxes = outcome.verdict.boxes if outcome.verdict else ()
    return [{side: getattr(box, side) for side in SIDES} for box in boxes]


def _describe_size(size: Size | None) -> dict[str, int] | None:
    return None if size is None else {"width": size[0], "height": size[1]}


@dataclass(frozen=True, slots=True)
class Expectation:
    """Patterns of stories, and the themes and devices expected to change; empty means all.

    With ``is_given`` False, any change counts.
    """

    is_given: bool = False
    patterns: tuple[str, ...] = ()
    themes: tuple[str, ...] = ()
    devices: tuple[str, ...] = ()

    def covers(self, shot: CheckedScreenshot) -> bool:
        """Whether the change is expected. A failure never is."""
        variant = shot.variant
        return (
            self.is_given
            and shot.state != "failed"
            and any(matches(pattern, shot) for pattern in self.patterns)
            and (not self.themes or variant.theme in self.themes)
            and (not self.devices or variant.device in self.devices)
        )

    def find_unused(self, shots: Sequence[CheckedScreenshot]) -> list[str]:
        """Return the patterns without a changed screenshot."""
        return [each for each in self.patterns if not any(matches(each, shot) for shot in shots)]


def matches(pattern: str, shot: CheckedScreenshot) -> bool:
    """Whether the pattern matches the story's ID, or adjoining parts of the story's title.

    ``Button*`` matches the title ``Forms/Button/Primary`` and every story of ``Forms/ButtonGroup``.
    Upper and lower case are the same.
    """
    wanted = pattern.casefold()
    parts = shot.title.casefold().split("/")
    runs = {
        "/".join(parts[start:end])
        for start in range(len(parts))
        for end in range(start + 1, len(parts) + 1)
    }
    return any(fnmatchcase(name, wanted) for name in (shot.story_id.casefold(), *runs))


def parse_expectation(patterns: Sequence[str], variants: Sequence[str]) -> Expectation:
    """Return the combination of ``--expect`` and ``--expect-only``. Raises InputError."""
    unknown = [each for each in variants if each not in (*THEMES, *DEVICES)]
    if unknown:
        known = ", ".join((*THEMES, *DEVICES))
        raise InputError(f"--expect-only {unknown[0]}: choose from {known}.")
    if NOTHING in patterns:
        if len(patterns) > 1 or variants:
            raise InputError("--expect none cannot be combined with other expectations.")
        return Expectation(is_given=True)
    return Expectation(
        is_given=bool(patterns or variants),
        # Of all stories, if only variants are named.
        patterns=tuple(patterns) or ("*",),
        themes=tuple(each for each in variants if each in THEMES),
        devices=tuple(each for each in variants if each in DEVICES),
    )
