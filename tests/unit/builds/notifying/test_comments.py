"""Text and images of a pull request's comment."""

import re
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.case import Case
from tests.support.injections import (
    find_unquoted,
    image_of,
    read_injections,
    render_images,
)
from visual_review.builds.notifying.comments import (
    MAX_IMAGES,
    ChangedGroup,
    ChangedImage,
    ChangeOverview,
    Rejection,
    pull_request_comment,
    rejection_comment,
    select_images,
)
from visual_review.builds.notifying.statuses import ProductSummary
from visual_review.builds.states import APPROVED, COMPLETED

STORIES = st.lists(st.tuples(st.sampled_from("xy"), st.sampled_from("abcdefgh")), max_size=30)


def changed_images(stories: list[tuple[str, str]]) -> list[ChangedImage]:
    return [
        ChangedImage(f"shot_{index}", "", product, story, story, "light", "phone", "changed")
        for index, (product, story) in enumerate(stories)
    ]


def names(images: list[ChangedImage]) -> list[str]:
    return [f"{image.product_key}{image.story_id}" for image in images]


def test_six_variants_of_one_story_leave_room_for_the_others() -> None:
    stories = [("x", "a")] * 6 + [("x", "b")] * 6 + [("y", "a")]
    shown = select_images(changed_images(stories))
    assert names(shown) == ["xa", "xb", "ya", "xa", "xb", "xa"]
    assert [one.screenshot_id for one in shown][:3] == ["shot_0", "shot_6", "shot_12"]


@given(STORIES)
def test_every_story_is_shown_once_before_any_is_shown_twice(
    stories: list[tuple[str, str]],
) -> None:
    found = changed_images(stories)
    shown = names(select_images(found))
    assert len(shown) == min(len(found), MAX_IMAGES)
    assert len(set(shown)) == min(len(set(names(found))), MAX_IMAGES)


def comment(*summaries: ProductSummary) -> str:
    return pull_request_comment("<!-- -->", summaries, ChangeOverview(), None)


def test_a_comment_says_what_a_build_needs_and_links_to_the_review() -> None:
    build = ProductSummary("web", 7, "/builds/7", COMPLETED, changed=2, new=1)
    assert comment(build).split("\n\n") == [
        "<!-- -->",
        "### Visual Review: review needed",
        (
            "| Product | Build | Result | Changed | New | Removed | Failed |\n"
            "| --- | --- | --- | ---: | ---: | ---: | ---: |\n"
            "| `web` | [7](/builds/7) | Review needed | 2 | 1 | 0 | 0 |"
        ),
        "[Open the review](/builds/7)",
    ]
    approved = comment(replace(build, review_state=APPROVED))
    assert "### Visual Review: approved" in approved
    assert "| Approved | 2 | 1 |" in approved


def test_undecided_removals_are_named_while_the_build_is_open() -> None:
    build = ProductSummary("web", 1, "/1", COMPLETED, changed=1, removed=12, removals_open=12)
    assert "12 removed screenshots are undecided" in comment(build)
    assert "1 removed screenshot is undecided" in comment(replace(build, removals_open=1))
    for done in (replace(build, removals_open=0), replace(build, review_state=APPROVED)):
        assert "undecided" not in comment(done)


# Code spans and code blocks, and attributes, in which every punctuation mark is escaped.
CODE = re.compile(r"(`+)(?!`).*?(?<!`)\1(?!`)|(?:alt|title)=\"[^\"]*\"", re.DOTALL)

PRODUCT = ProductSummary("default", 7, "https://reviews.example.com/builds/1", "completed")


def changed_image(text: str) -> ChangedImage:
    page = "https://reviews.example.com/builds/1"
    return ChangedImage("shot_1", page, "default", text, text, "light", "phone", "changed")


def test_comments_show_injected_names_and_comments_as_code(case: Case) -> None:
    for injection in read_injections():
        text, image = injection["text"], changed_image(injection["text"])
        group = ChangedGroup(text, 2, image, (image,), 1)
        overview = ChangeOverview((group,), 0, (image,))
        rejection = Rejection(text, text, "light", "phone", image.page, 7, text)
        with case(injection["id"]):
            summary = pull_request_comment("<!-- 1 -->", (PRODUCT,), overview, None)
            assert find_unquoted(summary, CODE) == []
            assert find_unquoted(rejection_comment("<!-- 2 -->", rejection), CODE) == []


def test_there_are_30_injections_and_the_images_are_those_of_the_texts(
    monkeypatch: pytest.MonkeyPatch, case: Case
) -> None:
    injections = read_injections()
    assert len({each["id"] for each in injections}) == len({each["text"] for each in injections})
    assert len(injections) == 30
    draw = render_images(monkeypatch)["draw"]
    shown = [each for each in injections if each["where"] in {"image", "story", "comment"}]
    for each in shown:
        with case(each["id"]):
            assert image_of(each, "before").read_bytes() != image_of(each, "after").read_bytes()
    assert draw(1, shown[0]["text"]).size == (420, 180)
