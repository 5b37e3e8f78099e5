"""Stories that leave something behind never change the images of other stories."""

import random
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.support.depth import seed
from visual_review.client.capture import (
    ALL_VARIANTS,
    CaptureReport,
    CaptureSettings,
    Shot,
    Story,
    Variant,
    read_stories,
)
from visual_review.client.capture.run import capture

STORYBOOK = Path(__file__).parents[2] / "storybooks" / "leaky" / "storybook-static"
PHONE = Variant("light", "phone")
# One of each kind of trace; the first one of a file shows the traces of another file.
ORDINARY = (
    "leaks-second--portal",
    "leaks-first--body-style",
    "leaks-first--local",
    "leaks-second--listener",
    "leaks-second--interval",
    "leaks-second--element",
    "leaks-styled--underlined",
    # The next one asks for the focus before its own elements are in the page.
    "leaks-second--focus",
    "leaks-modules--changes-arguments",
    "leaks-modules--plays",
    "leaks-modules--untouched",
    "leaks-shared--connects",
    "leaks-shared--connects-again",
    "leaks-first--nothing",
)
Images = dict[str, bytes | None]


def images_of(
    stories: Sequence[Story], variants: Sequence[Variant] = (PHONE,)
) -> tuple[CaptureReport, Images]:
    shots: list[Shot] = []
    report = capture(STORYBOOK, variants, stories, CaptureSettings(workers=1), shots.append)
    assert {shot.story.id: shot.error for shot in shots if shot.error} == {}
    return report, {f"{shot.story.id} {shot.variant}": shot.png for shot in shots}


def differing(one: Images, other: Images) -> list[str]:
    assert set(one) == set(other)
    return [name for name in one if one[name] != other[name]]


@pytest.fixture(scope="module")
def stories() -> list[Story]:
    return read_stories(STORYBOOK)


def test_images_do_not_depend_on_the_order(stories: list[Story]) -> None:
    by_id = {story.id: story for story in stories}
    chosen = [by_id[name] for name in ORDINARY]
    report, forwards = images_of(chosen)
    _, backwards = images_of(chosen[::-1])
    assert differing(forwards, backwards) == []
    # Stories without a trace look the same, so the others show nothing of each other.
    first = forwards[f"leaks-first--nothing {PHONE}"]
    assert first == forwards[f"leaks-second--listener {PHONE}"]
    again = forwards[f"leaks-shared--connects-again {PHONE}"]
    assert again == forwards[f"leaks-shared--connects {PHONE}"]
    assert any("leaks-first--body-style (attribute style=" in each for each in report.notices)


def test_a_decorator_of_the_page_needs_no_new_page_but_a_story_without_it_does(
    stories: list[Story],
) -> None:
    by_name = {story.id.removeprefix("leaks-attributes--"): story for story in stories}
    names = ("decorated", "decorated-again", "half-decorated", "plain")
    alone: Images = {}
    for name in names:
        alone |= images_of([by_name[name]])[1]
    report, together = images_of([by_name[name] for name in names])
    assert differing(alone, together) == []
    assert len(set(alone.values())) == len(alone)
    (notice,) = (each for each in report.notices if "left something behind" in each)
    assert notice.startswith("2 stories left something behind")
    assert "leaks-attributes--decorated (" not in notice


@pytest.mark.deep
def test_each_story_looks_as_if_it_were_alone(stories: list[Story]) -> None:
    alone: Images = {}
    for story in stories:
        alone |= images_of([story])[1]
    shuffled = random.Random(seed()).sample(stories, len(stories))
    for order in (stories, stories[::-1], shuffled):
        assert differing(alone, images_of(order)[1]) == []


@pytest.mark.deep
def test_variants_do_not_find_what_was_stored_in_others(stories: list[Story]) -> None:
    chosen = [story for story in stories if story.title == "Leaks/First"]
    _, together = images_of(chosen, ALL_VARIANTS)
    for variant in ALL_VARIANTS:
        expected = images_of(chosen, [variant])[1]
        assert differing(expected, {name: together[name] for name in expected}) == []
