"""The estimate of tokens: above the known need of tokenizers, and not far above."""

import re

from hypothesis import given
from hypothesis import strategies as st

from tests.support.case import Case
from visual_review.api.mcp.rendering.truncation import (
    count_json_tokens,
    count_tokens,
    fits_encoded,
    limit_lines,
)

# One match per token; bytes after the first of a character count in addition.
PIECES = re.compile(r" ?(?:[A-Z]?[a-z]{1,3}|[A-Z]|[!-/:-@\[-`{-~]{1,2})|.", re.DOTALL)


ESTIMATES = [
    # The lower bound is the count of common tokenizers: four letters a token in English, a token
    # for one or two signs of an id, one to one and a half for a sign of Chinese.
    ("The quick brown fox jumps over the lazy dog.", 10, 20),
    ("shot_01jq3v8e6m5x0c2n9d4t7r1kza", 17, 31),
    ("9f86d081884c7d659a2feaa0c55ad015", 18, 32),
    ('{"diffState":"changed","diffRatio":0.0123,"message":""}', 18, 40),
    ("日本語のストーリー", 9, 27),
    ("\U0001f642\U0001f642", 2, 8),
    ("", 0, 0),
]


def test_the_estimate_lies_between_what_is_needed_and_twice_that(case: Case) -> None:
    for text, least, most in ESTIMATES:
        with case(repr(text)):
            assert least <= count_tokens(text) <= most


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_no_text_takes_more_tokens_than_bytes(text: str) -> None:
    assert count_tokens(text) <= len(text.encode())


@given(st.text('abXY09 ."{}\né日\U0001f642\0', max_size=40))
def test_pieces_are_counted_as_the_expression_finds_them(text: str) -> None:
    assert count_tokens(text) == len(PIECES.findall(text)) + len(text.encode()) - len(text)


@given(st.text(max_size=50), st.text(max_size=50))
def test_texts_together_take_no_more_than_apart(one: str, other: str) -> None:
    assert count_tokens(one + other) <= count_tokens(one) + count_tokens(other)


def test_json_is_measured_as_it_is_written() -> None:
    assert count_json_tokens({"a": ["é", None]}) == count_tokens('{"a":["é",null]}')


@given(st.text('abXY09 ."{}é', max_size=60), st.integers(0, 60))
def test_what_fits_has_at_most_as_many_tokens(text: str, budget: int) -> None:
    assert fits_encoded(text.encode(), budget) == (count_tokens(text) <= budget)


lines_of_others = st.lists(st.text('abXY09 ."{}é', max_size=12), max_size=12)


@given(lines_of_others, st.integers(0, 60))
def test_as_many_lines_as_fit_are_written(lines: list[str], budget: int) -> None:
    found = list(limit_lines(lines, str, budget, "lines"))
    fitting = [
        number
        for number in range(len(lines) + 1)
        if sum(map(count_tokens, lines[:number])) <= budget
    ]
    most = max(fitting)
    left = len(lines) - most
    more = [f"- and {left} more lines, not listed here"] if left else []
    assert found == [*lines[:most], *more]
