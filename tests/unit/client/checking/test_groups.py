"""The groups of a check, in the order and with the numbers of the server."""

from visual_review.client.capture import Variant
from visual_review.client.checking.groups import (
    CheckedScreenshot,
    Findings,
    describe_groups,
    group_screenshots,
)
from visual_review.client.comparing.outcomes import Outcome, State

LIGHT = Variant("light", "phone")


def shot(story: str, state: State, message: str | None = None) -> CheckedScreenshot:
    return CheckedScreenshot(story, story, LIGHT, Outcome(story, state, message=message))


def test_new_removed_and_failed_ones_follow_in_this_order() -> None:
    shots = [
        shot("b--failed", "failed", "It threw."),
        shot("d--removed", "removed"),
        shot("c--new", "new"),
        shot("a--new", "new"),
    ]
    groups = group_screenshots(shots)
    assert [(each.number, each.name) for each in groups] == [
        (1, "2 new stories"),
        (2, "1 removed story"),
        (None, ""),
    ]
    described = describe_groups(Findings(groups, unchanged=3, inherited=2))
    changes = [change for group in described for change in group["changes"]]
    assert [(each["number"], each["storyId"]) for each in changes] == [
        (1, "a--new"),
        (2, "c--new"),
        (3, "d--removed"),
        (4, "b--failed"),
    ]
    assert changes[-1]["summary"] == "It threw."
    assert changes[-1]["sizeAfter"] is None


def test_nothing_gives_no_groups() -> None:
    assert group_screenshots([]) == ()
