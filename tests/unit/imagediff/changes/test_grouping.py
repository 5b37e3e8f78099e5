"""Which screenshots form a group, and what it is called."""

import random
from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from visual_review.imagediff.changes.grouping import ChangedScreenshot, group_changes
from visual_review.imagediff.changes.model import NOTHING_CHANGED, Signature

ANALYSIS = replace(NOTHING_CHANGED, kind="text", summary="text changed at 3,4")


def shot(
    key: str, content: str, *, family: str = "Card", story: str = "", theme: str = "light"
) -> ChangedScreenshot:
    analysis = replace(ANALYSIS, signature=Signature(content=content))
    sizes = ((100, 80), (100, 80))
    return ChangedScreenshot(key, family, story or key, theme, "desktop", *sizes, analysis)


def test_groups_what_replaced_the_same_by_the_same() -> None:
    pages = [shot(f"page {number}", "header", family=f"Page {number}") for number in range(40)]
    found = group_changes([*pages, shot("button", "corner", family="Button")])
    assert [len(group.members) for group in found] == [40, 1]
    assert found[0].name == "same change in 40 stories: text changed at 3,4"
    assert found[1].name == "text changed at 3,4"


def test_screenshots_without_a_signature_stay_alone() -> None:
    found = group_changes([shot("one", ""), shot("two", "")])
    assert [group.members for group in found] == [("one",), ("two",)]


def test_names_outliers_of_a_family() -> None:
    alike = [shot(f"card {number}", "same") for number in range(3)]
    found = group_changes([*alike, shot("card 9", "other"), shot("menu", "third", family="Menu")])
    assert [group.outliers for group in found] == [("card 9",), (), ()]


def test_a_minority_of_a_family_has_no_outliers() -> None:
    shots = [shot(f"card {number}", f"content {number // 2}") for number in range(6)]
    assert all(not group.outliers for group in group_changes(shots))


def test_names_the_themes_of_one_story() -> None:
    pair = [shot(theme, "same", story="menu", theme=theme) for theme in ("dark", "light")]
    assert group_changes(pair)[0].name == "light and dark: text changed at 3,4"


def test_names_the_size_that_all_grew_to() -> None:
    grown = [
        replace(
            shot(key, "same"),
            before=(147, 114),
            after=(143, 130),
            analysis=replace(ANALYSIS, summary=key, signature=Signature(content="same")),
        )
        for key in ("one", "two")
    ]
    name = group_changes(grown)[0].name
    assert name == "same change in 2 stories: all changed size from 147x114 to 143x130"


@settings(max_examples=60)
@given(st.lists(st.sampled_from(["", "a", "b", "c"]), max_size=12), st.randoms())
def test_every_screenshot_is_in_one_group_in_any_order(
    contents: list[str], rng: random.Random
) -> None:
    shots = [
        shot(f"story {index}", content, family=f"family {index % 3}")
        for index, content in enumerate(contents)
    ]
    found = group_changes(shots)
    assert sorted(key for group in found for key in group.members) == sorted(
        each.key for each in shots
    )
    rng.shuffle(shots)
    assert group_changes(shots) == found


def test_a_group_keeps_its_key_when_an_unrelated_screenshot_changes() -> None:
    shots = [shot("one", "same"), shot("two", "same")]
    alone, together = group_changes(shots), group_changes([*shots, shot("three", "other")])
    assert alone[0].key == together[0].key
