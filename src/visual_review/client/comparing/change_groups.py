"""Group the images of a comparison by their change, as a build's screenshots are grouped.

Groups only say what screenshots share, so a wrongly read name hides no change.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from visual_review.client.comparing.outcomes import Outcome
from visual_review.client.image_names.readers import read_own, read_path
from visual_review.imagediff.changes.grouping import ChangedScreenshot, Group, group_changes
from visual_review.imagediff.changes.model import Analysis

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
