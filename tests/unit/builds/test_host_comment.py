"""Which pictures a pull request's comment shows."""

from hypothesis import given
from hypothesis import strategies as st

from visual_review.builds.notifying.comments import MOST_IMAGES, ChangedImage, by_urgency

STORIES = st.lists(st.tuples(st.sampled_from("xy"), st.sampled_from("abcdefgh")), max_size=30)


def pictured(stories: list[tuple[str, str]]) -> list[ChangedImage]:
    return [
        ChangedImage(f"shot_{place}", "", product, story, story, "light", "phone", "changed")
        for place, (product, story) in enumerate(stories)
    ]


def names(pictures: list[ChangedImage]) -> list[str]:
    return [f"{picture.product_key}{picture.story_id}" for picture in pictures]


def test_six_variants_of_one_story_leave_room_for_the_others() -> None:
    stories = [("x", "a")] * 6 + [("x", "b")] * 6 + [("y", "a")]
    shown = by_urgency(pictured(stories))
    assert names(shown) == ["xa", "xb", "ya", "xa", "xb", "xa"]
    assert [one.screenshot_id for one in shown][:3] == ["shot_0", "shot_6", "shot_12"]


@given(STORIES)
def test_no_story_is_shown_twice_while_another_is_not_shown(stories: list[tuple[str, str]]) -> None:
    found = pictured(stories)
    shown = names(by_urgency(found))
    assert len(shown) == min(len(found), MOST_IMAGES)
    assert len(set(shown)) == min(len(set(names(found))), MOST_IMAGES)
