"""The stories of a build named for a misspelled one, and the cost of the search."""

from collections.abc import Iterable

import pytest

from tests.support.case import Case
from tests.support.personas import Personas
from tests.support.statements import counted_statements
from tests.support.worlds import World
from visual_review.builds.comparing.seen_stories import (
    LONGEST,
    MOST_COMPARED,
    near_stories,
    similar_stories,
)
from visual_review.builds.models import Screenshot
from visual_review.repositories.models import Product

STORIES = ("button--primary", "button--secondary", "card--wide", "form_50%--\\wide")
BOX = {"x": 0.25, "y": 0, "width": 0.5, "height": 1}
PRODUCTS = Product.objects.all()


@pytest.fixture
def world(personas: Personas) -> World:
    return World(personas.bob)


def publish(world: World, stories: Iterable[str]) -> None:
    build = world.publish({"a": "red"})
    Screenshot.objects.bulk_create(
        Screenshot(build=build, story_id=story, theme=theme, device="desktop")
        for story in stories
        for theme in ("light", "dark")
    )


def test_ids_with_another_case_or_a_wrong_letter_are_near(case: Case, world: World) -> None:
    publish(world, STORIES)
    for given, near in (
        ("Button--Primary", ["button--primary"]),
        ("ButtonPrimary", ["button--primary"]),
        ("buton--primary", ["button--primary"]),
        ("bu%ton--primary", ["button--primary"]),
        ("form_50%--\\wid", ["form_50%--\\wide"]),
        # Another story of the component.
        ("card--narrow", []),
        ("", []),
    ):
        with case(given):
            assert near_stories(PRODUCTS, given) == near


def test_no_more_than_three_are_named(case: Case, world: World) -> None:
    long = "settings--" + "with-a-long-name" * 4
    publish(world, [f"{name}-{number}" for name in ("story", long) for number in range(1, 9)])
    for given in ("story-0", f"{long}-0"):
        with case(given):
            assert len(near_stories(PRODUCTS, given)) == 3


def test_of_many_alike_ids_a_few_are_compared_and_the_one_that_is_meant_is_found(
    case: Case, world: World
) -> None:
    publish(world, [f"components-table--with-{number}-rows" for number in range(100, 400)])
    for given in (
        "component-table--with-317-rows",
        "components-tabel--with-317-rows",
        "components-table--wiht-317-rows",
        "Components-Table--With-317-Row",
    ):
        with case(given):
            assert len(similar_stories(PRODUCTS, given)) == MOST_COMPARED
            assert near_stories(PRODUCTS, given)[0] == "components-table--with-317-rows"


def test_long_ids_are_not_compared(case: Case, world: World) -> None:
    publish(world, ["x" * LONGEST, "y" * LONGEST * 2])
    for given, near in (
        ("x" * (LONGEST - 1), ["x" * LONGEST]),
        ("x" * (LONGEST + 1), []),
        ("y" * (LONGEST * 2 - 1), []),
    ):
        with case(len(given)):
            assert near_stories(PRODUCTS, given) == near


def test_near_spellings_are_looked_for_before_the_product_is_locked(world: World) -> None:
    publish(world, STORIES)
    place = {"storyId": "buton--primary", "theme": "light", "device": "desktop"}
    with counted_statements() as statements:
        world.act("set_dynamic_regions", repoId=world.repository.id, **place, regions=[BOX])
    [locking] = [place for place, text in enumerate(statements) if "FOR NO KEY UPDATE" in text]
    [search] = [place for place, text in enumerate(statements) if "%but%" in text]
    assert search < locking
