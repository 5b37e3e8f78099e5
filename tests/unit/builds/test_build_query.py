"""The filter line of the list of builds."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.case import Case
from visual_review.builds.build_query import FILTERS, MOST_TEXTS, STATES, BuildQuery, parse_query

LINES = {
    "state:open": ({"state": "open"}, ()),
    "STATE:open branch:feature/a": ({"state": "open", "branch": "feature/a"}, ()),
    'author:"Ann Lee" make it blue': ({"author": "Ann Lee"}, ("make", "it", "blue")),
    "pr:#12 commit:4f9c1d7": ({"pr": "#12", "commit": "4f9c1d7"}, ()),
    "fix: the button": ({}, ("fix:", "the", "button")),
    '"fix:the button" branch:a': ({"branch": "a"}, ("fix:the button",)),
    "": ({}, ()),
}
PROBLEMS = {
    "colour:red": "“colour:” is not a filter. There are state:",
    "state:done": "“done” is not a state. There are open,",
    "pr:twelve": "“twelve” is not the number of a pull request.",
    'branch:""': "“branch:” needs a value right after the colon.",
}


def test_a_line_has_filters_and_words(case: Case) -> None:
    for line, (filters, words) in LINES.items():
        with case(line):
            found = parse_query(line)
            assert (found.filters, found.texts, found.problem) == (filters, words, "")


@pytest.mark.parametrize("line", PROBLEMS)
def test_what_cannot_be_understood_is_named_and_left_out(line: str) -> None:
    found = parse_query(f"{line} button")
    assert found.problem.startswith(PROBLEMS[line])
    assert (found.filters, found.texts) == ({}, ("button",))


def test_what_does_not_count_is_named() -> None:
    found = parse_query("branch:a branch:b")
    assert found.filters == {"branch": "a"}
    assert found.problem == "“branch:” is there more than once. The first one counts."
    found = parse_query("a " * (MOST_TEXTS + 1))
    assert (len(found.texts), found.problem) == (MOST_TEXTS, "Only the first 10 texts count.")


@given(st.text(max_size=60))
def test_any_line_is_understood_the_same_once_it_is_written_again(line: str) -> None:
    found = parse_query(line)
    again = parse_query(str(found))
    assert (again.filters, again.texts, again.problem) == (found.filters, found.texts, "")


@given(st.sampled_from(FILTERS[1:3]), st.text("ab :#/", min_size=1).filter(str.strip))
def test_a_menu_writes_one_filter_and_keeps_the_others(name: str, value: str) -> None:
    query = BuildQuery({"state": next(iter(STATES))}, ("button",)).having(name, value)
    assert parse_query(str(query)) == query
    assert query.having(name, "") == BuildQuery({"state": "open"}, ("button",))
