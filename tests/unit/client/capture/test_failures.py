"""What authors of stories read when a page is lost, and what is tried again."""

import pytest

from visual_review.client.capture import errors
from visual_review.client.capture.errors import PageError, Remedy

IN_ALL = "It was not tried in other variants."


@pytest.mark.parametrize(
    ("error", "message", "remedy"),
    [
        (
            errors.blocked(8),
            f"The story blocked the page for 8 seconds: a script did not return. {IN_ALL}",
            Remedy.ALONE,
        ),
        (
            errors.late(30, "playing"),
            "The story did not render within 30 seconds (it was in the phase 'playing'). " + IN_ALL,
            Remedy.ALONE,
        ),
        (
            errors.navigated("http://storybook.localhost/a", reloaded=False),
            "The story navigated away to http://storybook.localhost/a.",
            Remedy.NONE,
        ),
        (errors.navigated("x", reloaded=True), "The story reloaded the page.", Remedy.NONE),
        (errors.closed(), "The page closed itself.", Remedy.NONE),
        (errors.crashed(), "The page crashed while the story was shown.", Remedy.NEW_PAGE),
        (
            errors.browser_lost(),
            "The browser crashed while the story was shown.",
            Remedy.NEW_PAGE,
        ),
    ],
)
def test_a_lost_page_is_described_in_words(error: PageError, message: str, remedy: Remedy) -> None:
    assert (str(error), error.remedy) == (message, remedy)
