"""The outcome of a comparison of two folders: groups, exit code and JSON document."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final, Literal

from visual_review.client.comparing.settings import Settings
from visual_review.client.image_names.readers import read_own, read_path
from visual_review.imagediff import ENGINE_VERSION, Verdict
from visual_review.imagediff.changes.grouping import ChangedScreenshot, Group, Size, group_changes
from visual_review.imagediff.changes.model import Analysis, change_to_json
from visual_review.imagediff.model import RULE

NO_DIFFERENCES: Final = 0
DIFFERENCES_FOUND: Final = 1
FAILED: Final = 2

SEVERITY_DIGITS: Final = 4

State = Literal["failed", "changed", "new", "removed", "unchanged"]
# In the order of the summary, worst first.
STATES: Final[tuple[State, ...]] = ("failed", "changed", "new", "removed", "unchanged")


@dataclass(frozen=True, slots=True)
class ReportFiles:
    """The files of one image in the report, relative to the folder of the report."""

    before: str | None = None
    after: str | None = None
    difference: str | None = None
    composite: str | None = None


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result of one pair."""

    name: str
    state: State
    verdict: Verdict | None = None
    analysis: Analysis | None = None
    # Sizes of the shown images: of both, or of the new or removed image.
    sizes: tuple[Size, ...] = ()
    message: str | None = None
    # Whether pixels differ, but no more than allowed.
    tolerated: bool = False
    files: ReportFiles | None = None


@dataclass(frozen=True, slots=True)
class Results:
    """The outcomes of all pairs, the groups of equal changes, and the report's sheets."""

    outcomes: Sequence[Outcome]
    groups: Sequence[Group]
    sheets: Sequence[str] = ()


def exit_code(outcomes: Iterable[Outcome], fail_on: frozenset[str]) -> int:
    states = {outcome.state for outcome in outcomes}
    # A failed comparison outweighs a difference: the result is unknown.
    if "failed" in states:
        return FAILED
    return DIFFERENCES_FOUND if states & fail_on else NO_DIFFERENCES


def count_states(outcomes: Iterable[Outcome]) -> dict[State, int]:
    counts = Counter(outcome.state for outcome in outcomes)
    return {state: counts[state] for state in STATES}


def make_document(
    results: Results, settings: Settings, engine: str, folder: str = ""
) -> dict[str, Any]:
    """Return the JSON document of a comparison, with every image, also unchanged ones.

    Files of the report are named relative to the report, or with ``folder`` in front.
    """
    return {
        "engine": engine,
        "engineVersion": ENGINE_VERSION,
        "rule": RULE,
        "threshold": settings.threshold,
        "includeAntiAliased": settings.include_anti_aliased,
        "ignore": [str(area) for area in settings.ignored],
        "maxDiffPixels": settings.max_diff_pixels,
        "maxDiffPixelRatio": settings.max_diff_pixel_ratio,
        "faint": settings.faint,
        "counts": count_states(results.outcomes),
        "images": [_describe(outcome, folder) for outcome in results.outcomes],
        "groups": [_describe_group(group) for group in results.groups],
        "sheets": [f"{folder}{path}" for path in results.sheets],
    }


def _describe(outcome: Outcome, folder: str) -> dict[str, Any]:
    entry: dict[str, Any] = {"name": outcome.name, "diffState": outcome.state}
    if outcome.verdict is not None:
        entry |= _describe_verdict(outcome.verdict)
    if outcome.analysis is not None:
        entry |= _describe_analysis(outcome.analysis)
    if outcome.tolerated:
        entry["tolerated"] = True
    if outcome.message is not None:
        entry["message"] = outcome.message
    if outcome.files is not None:
        files = {
            "before": outcome.files.before,
            "after": outcome.files.after,
            "picture": outcome.files.difference,
            "composite": outcome.files.composite,
        }
        entry |= {key: f"{folder}{path}" for key, path in files.items() if path is not None}
    return entry


def _describe_verdict(verdict: Verdict) -> dict[str, Any]:
    return {
        "reason": verdict.reason,
        "diffPixels": verdict.diff_pixels,
        "diffRatio": verdict.diff_ratio,
        "antiAliasedPixels": verdict.anti_aliased_pixels,
        "width": verdict.width,
        "height": verdict.height,
        "boxes": [asdict(box) for box in verdict.boxes],
    }


def _describe_analysis(analysis: Analysis) -> dict[str, Any]:
    return {
        "kind": analysis.kind,
        "summary": analysis.summary,
        "severity": round(analysis.severity, SEVERITY_DIGITS),
        "alignedPixels": analysis.aligned_pixels,
        "alignedRatio": analysis.aligned_ratio,
        "faintPixels": analysis.faint_pixels,
        "changes": [change_to_json(change) for change in analysis.changes],
    }


def _describe_group(group: Group) -> dict[str, Any]:
    return {
        "key": group.key,
        "name": group.name,
        "kind": group.kind,
        "images": list(group.members),
        "remainders": list(group.remainders),
    }


_SEPARATORS: Final = re.compile(r"[-_. @]+")


@dataclass(frozen=True, slots=True)
class ScreenshotName:
    """What a file name says."""

    # The group of the story, such as a component.
    family: str
    story: str
    # Empty if the name has no theme.
    theme: str
    # Device, browser and system; empty if the name has none.
    device: str


def parse_name(name: str) -> ScreenshotName:
    """Return family, story and variant of a path with slashes; every name has some."""
    parts = read_own(name) or read_path(name)
    folder = "/".join(parts.folders)
    story = f"{folder}/{parts.name}" if folder else parts.name
    component, dashes, _ = parts.name.partition("--")
    family = folder or (component if dashes else _SEPARATORS.split(parts.name)[0])
    device = " ".join(each for each in (parts.device, parts.browser, parts.platform) if each)
    return ScreenshotName(family or story, story, parts.theme, device)


def group_outcomes(outcomes: Iterable[Outcome]) -> tuple[Group, ...]:
    """Return groups of the changed images, the rarest first; members are names of images."""
    return group_changes(
        [
            _changed_screenshot(outcome, outcome.analysis)
            for outcome in outcomes
            if outcome.state == "changed" and outcome.analysis is not None
        ]
    )


def _changed_screenshot(outcome: Outcome, analysis: Analysis) -> ChangedScreenshot:
    name = parse_name(outcome.name)
    before, after = outcome.sizes
    return ChangedScreenshot(
        *(outcome.name, name.family, name.story, name.device), before, after, analysis
    )
