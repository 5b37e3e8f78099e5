"""Comments on pull requests show injected instructions as code only."""

import re

import pytest

from tests.support.case import Case
from tests.support.injections import (
    find_unquoted,
    image_of,
    read_injections,
    render_images,
)
from visual_review.builds.notifying.comments import (
    ChangedGroup,
    ChangedImage,
    ChangeOverview,
    Rejection,
    pull_request_comment,
    rejection_comment,
)
from visual_review.builds.notifying.statuses import ProductSummary

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
