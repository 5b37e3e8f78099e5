"""Group the images of a comparison that changed alike, as a build's screenshots are grouped."""

from collections.abc import Iterable, Iterator

from visual_review.client.comparing.outcomes import Outcome
from visual_review.client.comparing.screenshot_names import parse_name
from visual_review.imagediff.changes.grouping import ChangedScreenshot, Group, group_changes


def group_outcomes(outcomes: Iterable[Outcome]) -> tuple[Group, ...]:
    """Return groups of the changed images, the largest first; members are names of images."""
    return group_changes(tuple(_list_changed(outcomes)))


def _list_changed(outcomes: Iterable[Outcome]) -> Iterator[ChangedScreenshot]:
    for outcome in outcomes:
        if outcome.state == "changed" and outcome.analysis is not None:
            name = parse_name(outcome.name)
            before, after = outcome.sizes
            yield ChangedScreenshot(
                key=outcome.name,
                family=name.family,
                story=name.story,
                theme=name.theme,
                device=name.device,
                before=before,
                after=after,
                analysis=outcome.analysis,
            )
