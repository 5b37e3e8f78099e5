"""The profile of a capture: a table of the slowest stories."""

from visual_review.client.capture.results import SLOWEST, Profile, StoryTimes


def test_the_slowest_stories_follow_the_sum_of_all() -> None:
    profile = Profile()
    for number in range(SLOWEST + 5):
        profile.add(f"story--{number} light-phone", StoryTimes(load=0.25, show=number / 10))
    profile.add("story--skipped light-phone", None)
    head, total, slowest, *others = profile.lines()
    assert head.split() == [
        *("total", "load", "show", "settle", "image", "finish", "encode", "other"),
        *("seconds", "of"),
    ]
    assert total.split()[:3] == ["24.00", "5.00", "19.00"]
    assert slowest.endswith("  story--19 light-phone")
    assert slowest.split()[:3] == ["2.15", "0.25", "1.90"]
    assert len(others) == SLOWEST - 1


def test_a_profile_of_nothing_says_so() -> None:
    assert Profile().lines() == ["Nothing was captured, so there is no profile."]
