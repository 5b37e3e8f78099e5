"""A failed story is one line, with the failed variants."""

from visual_review.cli.client.capture_log import FailedStories
from visual_review.client.capture import ALL_VARIANTS, Shot, Story


def test_equal_failures_of_a_story_are_one_line() -> None:
    failed = FailedStories()
    for name, variant, error in (
        ("card--b", ALL_VARIANTS[0], "It threw: 7"),
        ("card--a", ALL_VARIANTS[5], "The page closed itself."),
        ("card--a", ALL_VARIANTS[0], "The page closed itself."),
        ("card--a", ALL_VARIANTS[1], None),
        ("card--b", ALL_VARIANTS[1], "It threw: 8"),
    ):
        story = Story(name, "Card", name, "./card.js")
        failed.add(Shot(story, variant, None, 0, 0, error=error))
    assert list(failed.lines()) == [
        "failed: card--a (dark-desktop, light-phone): The page closed itself.",
        "failed: card--b (light-phone): It threw: 7",
        "failed: card--b (light-tablet): It threw: 8",
    ]
