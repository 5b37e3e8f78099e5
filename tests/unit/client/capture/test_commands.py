"""How the options of ``visual-review capture`` choose."""

import pytest

from visual_review.cli.client.capture import (
    LINE_BREAK,
    ChoiceError,
    chosen_stories,
    chosen_variants,
    printable,
    theme_values,
)
from visual_review.client.capture import ALL_VARIANTS, Story, Variant

STORIES = [
    Story("a--one", "A", "One", "./a.js"),
    Story("a--two", "A", "Two", "./a.js"),
    Story("b--one", "B", "One", "./b.js"),
]


def test_all_variants_are_captured_unless_some_are_chosen() -> None:
    assert chosen_variants([], []) == list(ALL_VARIANTS)
    assert chosen_variants(["dark"], ["phone"]) == [Variant("dark", "phone")]
    assert len(chosen_variants([], ["phone", "tablet"])) == 4


def test_an_unknown_variant_is_refused_with_the_known_ones() -> None:
    with pytest.raises(ChoiceError, match="no device 'watch'; choose from phone, tablet, desktop"):
        chosen_variants([], ["watch"])


def test_stories_are_chosen_by_any_of_the_patterns() -> None:
    assert chosen_stories(STORIES, []) == STORIES
    assert [story.id for story in chosen_stories(STORIES, ["a--*", "b--one"])] == [
        "a--one",
        "a--two",
        "b--one",
    ]


def test_patterns_that_match_nothing_are_refused() -> None:
    with pytest.raises(ChoiceError, match=r"none of the 3 stories matches z\*"):
        chosen_stories(STORIES, ["z*"])


def test_a_storybook_without_stories_is_refused() -> None:
    with pytest.raises(ChoiceError, match="no stories"):
        chosen_stories([], [])


def test_theme_values_name_a_theme_each() -> None:
    assert theme_values(["dark=Night=1", "light=Day"]) == {"dark": "Night=1", "light": "Day"}


@pytest.mark.parametrize("text", ["night", "dark=", "=x", "blue=x"])
def test_a_theme_value_of_another_form_is_refused(text: str) -> None:
    with pytest.raises(ChoiceError, match="write light=VALUE or dark=VALUE"):
        theme_values([text])


def test_messages_of_stories_cannot_steer_the_terminal() -> None:
    assert "\x1b" not in printable("\x1b[2J\nplain", LINE_BREAK)
    assert printable("one\ntwo", LINE_BREAK) == "one\ntwo"
    assert "\n" not in printable("one\ntwo")
