"""How the options of ``visual-review capture`` select variants and stories."""

from dataclasses import replace

import pytest

from visual_review.cli.client.capture_choices import (
    ChoiceError,
    make_tag_filter,
    parse_hosts,
    parse_theme_values,
    select_stories,
    select_variants,
)
from visual_review.client.capture import ALL_VARIANTS, Story, TagFilter, Variant

STORIES = [
    Story("a--one", "A", "One", "./a.js"),
    Story("a--two", "A", "Two", "./a.js"),
    Story("b--one", "B", "One", "./b.js"),
]


def test_all_variants_are_captured_unless_some_are_chosen() -> None:
    assert select_variants([], []) == list(ALL_VARIANTS)
    assert select_variants(["dark"], ["phone"]) == [Variant("dark", "phone")]
    assert len(select_variants([], ["phone", "tablet"])) == 4


def test_the_error_of_an_unknown_device_lists_the_known_ones() -> None:
    with pytest.raises(ChoiceError, match="no device 'watch'; choose from phone, tablet, desktop"):
        select_variants([], ["watch"])


def select(stories: list[Story], *globs: str, tags: TagFilter | None = None) -> list[Story]:
    return select_stories(stories, list(globs), tags or TagFilter(), print)


def test_stories_are_chosen_by_any_of_the_patterns() -> None:
    assert select(STORIES) == STORIES
    assert [story.id for story in select(STORIES, "a--*", "b--one")] == [
        "a--one",
        "a--two",
        "b--one",
    ]


def test_patterns_that_match_nothing_are_an_error() -> None:
    with pytest.raises(ChoiceError, match=r"none of the 3 stories matches z\*"):
        select(STORIES, "z*")


def test_a_storybook_without_stories_is_an_error() -> None:
    with pytest.raises(ChoiceError, match="no stories"):
        select([])


def test_tags_leave_stories_out_and_each_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    first, second, third = STORIES
    tagged = [replace(first, tags=("skip",)), replace(second, tags=("wip", "dev")), third]
    assert [story.id for story in select(tagged)] == ["a--two", "b--one"]
    assert "1 story is left out because of tags: a--one." in capsys.readouterr().out
    wip = make_tag_filter(["wip"], None)
    assert [story.id for story in select(tagged, tags=wip)] == ["a--two"]
    assert [story.id for story in select(tagged, tags=make_tag_filter(["skip"], None))] == [
        "a--one"
    ]
    assert [story.id for story in select(tagged, tags=make_tag_filter(None, ["dev"]))] == ["b--one"]
    capsys.readouterr()
    with pytest.raises(ChoiceError, match="no story is left to capture: 3 stories are left out"):
        select(tagged, tags=make_tag_filter(["none"], None))


def test_each_theme_value_has_its_theme() -> None:
    assert parse_theme_values(["dark=Night=1", "light=Day"]) == {"dark": "Night=1", "light": "Day"}


@pytest.mark.parametrize("text", ["night", "dark=", "=x", "blue=x"])
def test_a_malformed_theme_value_is_an_error(text: str) -> None:
    with pytest.raises(ChoiceError, match="write light=VALUE or dark=VALUE"):
        parse_theme_values([text])


def test_a_host_may_have_a_port_but_add_no_rule() -> None:
    given = ["cdn.example.org", "*.example.org", "127.0.0.1:8080"]
    assert parse_hosts(given) == tuple(given)


@pytest.mark.parametrize("text", ["", "a, EXCLUDE *", "a b", "[::1]", "https://a", "a:b", "a/b"])
def test_a_malformed_host_is_an_error(text: str) -> None:
    with pytest.raises(ChoiceError, match="is not a host; write a name"):
        parse_hosts([text])
