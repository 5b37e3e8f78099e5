"""Group the images of a comparison that changed alike, as a build's screenshots are grouped.

Groups only say what screenshots share, so a name that is read wrongly hides no change.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from visual_review.client.comparing.outcomes import Outcome
from visual_review.client.image_names.readers import read_own, read_path
from visual_review.imagediff.changes.grouping import ChangedScreenshot, Group, group_changes

_SEPARATORS: Final = re.compile(r"[-_. @]+")


@dataclass(frozen=True, slots=True)
class ScreenshotName:
    """What a file name says; ``family`` is what the story belongs to, such as a component.

    ``theme`` and ``device`` are empty where the name has none; ``device`` names browser and
    system, too.
    """

    family: str
    story: str
    theme: str
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
    """Return groups of the changed images, the largest first; members are names of images."""
    changed = [each for each in outcomes if each.state == "changed"]
    names = _shorten_devices([parse_name(outcome.name) for outcome in changed])
    return group_changes(
        [
            ChangedScreenshot(
                key=outcome.name,
                family=name.family,
                story=name.story,
                theme=name.theme,
                device=name.device,
                before=outcome.sizes[0],
                after=outcome.sizes[1],
                analysis=outcome.analysis,
            )
            for outcome, name in zip(changed, names, strict=True)
            if outcome.analysis is not None
        ]
    )


def _shorten_devices(names: Sequence[ScreenshotName]) -> list[ScreenshotName]:
    """Leave out words that all devices share, such as the only browser."""
    devices = [name.device.split() for name in names]
    shared = set.intersection(*map(set, devices)) if len(set(map(tuple, devices))) > 1 else set()
    return [
        replace(name, device=" ".join(word for word in device if word not in shared))
        for name, device in zip(names, devices, strict=True)
    ]
