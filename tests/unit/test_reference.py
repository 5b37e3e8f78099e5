"""The generated reference: its descriptions and links to the glossary."""

import re

from scripts.generate_docs import pages
from scripts.reference_terms import Term, read_terms, section_of_values, term_line

from tests.support.case import Case
from visual_review.actions.registry import callable_actions

ACTIONS = ("docs/reference/actions.md", "docs/reference/extension-actions.md")
GLOSSARY = """
## Objects

| term | meaning |
|---|---|
| <a id="story"></a>Story | A state. |
| <a id="base-branch"></a>Base branch | Where it merges. |
| Hidden | Has no anchor. |

## States

| `on` | works |
| `off` | rests |
"""


def test_terms_with_an_anchor_are_read_in_order() -> None:
    assert read_terms(GLOSSARY) == [Term("Story", "story"), Term("Base branch", "base-branch")]


def test_a_term_occurs_in_any_case_and_number_but_not_in_other_words(case: Case) -> None:
    story = Term("Story", "story")
    for text, found in (
        ("The story.", True),
        ("Stories of a build", True),
        ("a story's variants", True),
        ("its history", False),
        ("the storyboard", False),
        ("named story/sub/repo", False),
    ):
        with case(text):
            assert story.occurs_in(text) is found


def test_a_line_links_each_term_once() -> None:
    line = term_line(["Stories of the base branch", "the story"], read_terms(GLOSSARY))
    assert line == (
        "Terms: [Story](../glossary.md#story), [Base branch](../glossary.md#base-branch).\n"
    )
    assert term_line(["nothing"], read_terms(GLOSSARY)) == ""


def test_values_are_explained_where_all_of_them_stand() -> None:
    assert section_of_values(("on", "off"), GLOSSARY) == "States"
    assert section_of_values(("on", "broken"), GLOSSARY) == ""


def test_every_property_says_what_it_is() -> None:
    for page in ACTIONS:
        rows = re.findall(r"(?m)^\| `.*$", pages()[page])
        assert rows
        assert [row for row in rows if not re.search(r"[^\\]\| \S[^|]*\. \|$", row)] == []


def test_every_set_of_values_is_explained(case: Case) -> None:
    parts = [part for page in ACTIONS for part in pages()[page].split("\n### ")[1:]]
    for part in parts:
        if not re.search(r"(?m)^\| `", part):
            with case(part.split("\n")[0]):
                assert "Explained in [" in part


def test_every_action_shows_a_call_a_response_and_terms(case: Case) -> None:
    sections = [part for page in ACTIONS for part in pages()[page].split("\n## ")]
    for action in callable_actions():
        with case(action.name):
            (section,) = [one for one in sections if one.startswith(f"{action.name}\n")]
            for part in ("Terms: [", "Example:\n\n```json", "Example of a response:\n\n```json"):
                assert part in section
