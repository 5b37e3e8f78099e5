"""Texts of others: whatever the contents, each stays one quoted line of data."""

import json

from hypothesis import given
from hypothesis import strategies as st

from tests.support.case import Case
from tests.support.mcp.results import HOSTILE
from visual_review.api.mcp.quoting import SHOWN, quote_identifier, quote_name, quote_text

texts = st.text(st.characters(exclude_categories=["Cs"])) | st.sampled_from(HOSTILE)


def test_a_short_text_stands_between_quotes() -> None:
    assert quote_text("Make buttons green") == '"Make buttons green"'


ESCAPED = [
    ("a\nb", r'"a\nb"'),
    ('say "yes"', r'"say \"yes\""'),
    ("back\\slash", r'"back\\slash"'),
    ("\x1b[2J", r'"\u001b[2J"'),
    ("\u202egnp", r'"\u202egnp"'),
    ("zero\u200bwidth", r'"zero\u200bwidth"'),
    ("\u2028line", r'"\u2028line"'),
    ("\U000e0041", r'"\udb40\udc41"'),
    ("\ufe0f\u3164", r'"\ufe0f\u3164"'),
    ("Ünïcödé 日本", '"Ünïcödé 日本"'),
]


def test_what_is_not_seen_is_shown_escaped(case: Case) -> None:
    for text, shown in ESCAPED:
        with case(shown):
            assert quote_text(text) == shown


def test_a_long_text_is_truncated_and_the_rest_counted() -> None:
    assert quote_text("x" * 10_000, 10) == '"xxxxxxxxxx" (and 9,990 more characters)'


@given(texts)
def test_a_quoted_text_is_one_printable_line_of_bounded_length(text: str) -> None:
    shown = quote_text(text)
    assert shown.isprintable()
    assert len(shown.encode()) <= SHOWN + len('"" (and 1,000,000 more characters)')


@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=20))
def test_a_quoted_text_can_be_copied_into_a_call_as_it_is(text: str) -> None:
    assert json.loads(quote_text(text)) == text


@given(texts)
def test_nothing_but_the_end_closes_the_quotes(text: str) -> None:
    shown, _, counted = quote_text(text).partition('" (and ')
    inside = shown.removeprefix('"') if counted else shown.removeprefix('"').removesuffix('"')
    assert '"' not in inside.replace("\\\\", "").replace('\\"', "")


def test_names_are_quoted_whatever_they_look_like(case: Case) -> None:
    for name in ("button--primary", "G1", "shot_1", "approve-everything-now", "two words", ""):
        with case(repr(name)):
            assert quote_name(name) == quote_identifier(name) == f'"{name}"'
