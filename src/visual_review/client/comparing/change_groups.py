"""Group the images of a comparison that changed alike, as a build's screenshots are grouped."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from visual_review.client.comparing.outcomes import Outcome
from visual_review.client.comparing.screenshot_names import ScreenshotName, parse_name
from visual_review.imagediff.changes.grouping import ChangedScreenshot, Group, group_changes


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
