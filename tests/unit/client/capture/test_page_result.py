"""Values returned by pages are checked: a bad value costs only its story."""

import math
from typing import Any

import pytest

from tests.support.case import Case
from visual_review.client.capture.errors import PageError
from visual_review.client.capture.page_result import (
    MAX_ITEMS,
    MAX_TEXT,
    parse_leftovers,
    parse_page_result,
)
from visual_review.client.capture.results import Note, Region

GOOD: dict[str, Any] = {
    "outcome": {"kind": "rendered", "message": None, "phase": "completed"},
    "width": 390,
    "height": 843.5,
    "threshold": 0.2,
    "delay": 5,
    "unstable": ["the page kept changing (p)"],
    "notes": [{"kind": "wider", "detail": "by 10"}],
    "regions": [{"x": 1, "y": 2, "width": 3, "height": 4}],
    "times": {"show": 20, "settle": 30},
}


def test_what_the_scripts_return_is_read() -> None:
    result = parse_page_result(GOOD)
    assert (result.outcome.kind, result.outcome.message) == ("rendered", "")
    assert (result.width, result.height) == (390, 844)
    assert (result.threshold, result.delay, result.skip) == (0.2, 5.0, False)
    assert result.unstable == ("the page kept changing (p)",)
    assert result.notes == (Note("wider", "by 10"),)
    assert result.regions == (Region(1, 2, 3, 4),)
    assert result.times == {"show": 0.02, "settle": 0.03}


BAD: list[tuple[str, object]] = [
    ("outcome", None),
    ("outcome", {"kind": 7}),
    ("height", "900"),
    ("height", math.inf),
    ("height", math.nan),
    ("height", -1),
    ("height", 1e300),
    ("height", True),
    ("width", None),
    ("threshold", "0.1"),
    ("unstable", "a reason"),
    ("unstable", [{}]),
    ("notes", ["wider"]),
    ("notes", [{"detail": "no kind"}]),
    ("regions", [{"x": 1, "y": 2, "width": 3}]),
    ("regions", [{"x": 1, "y": 2, "width": 3, "height": math.nan}]),
    ("times", {"show": "soon"}),
]


def test_a_value_of_another_type_or_size_is_an_error_of_the_story(case: Case) -> None:
    for name, value in BAD:
        with case(f"{name}: {value!r}"), pytest.raises(PageError, match="that is not one"):
            parse_page_result({**GOOD, name: value})


@pytest.mark.parametrize("raw", [None, [], "rendered", 1])
def test_anything_but_an_object_is_an_error(raw: object) -> None:
    with pytest.raises(PageError, match="The page returned a result that is not one"):
        parse_page_result(raw)
    with pytest.raises(PageError, match="The page returned a result that is not one"):
        parse_leftovers(raw)


def test_texts_and_lists_have_a_limit() -> None:
    result = parse_page_result({**GOOD, "unstable": ["x" * (MAX_TEXT + 1)] * (MAX_ITEMS + 1)})
    assert len(result.unstable) == MAX_ITEMS
    assert len(result.unstable[0]) == MAX_TEXT
