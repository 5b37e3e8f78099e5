"""How stories are divided among pages."""

import random
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from visual_review.client.capture import ALL_VARIANTS, Story, Variant
from visual_review.client.capture.schedule import (
    FEWEST_IMAGES,
    FEWEST_TO_LOAD,
    PLAYS,
    Item,
    Schedule,
    order_plays,
)

ONE = ALL_VARIANTS[:1]


def stories(count: int) -> list[Story]:
    return [Story(f"a--{number}", "A", str(number), "./a.js") for number in range(count)]


def take_all(schedule: Schedule, speeds: list[int], seed: int = 0) -> list[list[Item]]:
    """Let pages take their items in an order of chance, faster ones more often."""
    pages = list(range(schedule.pages))
    loaded: list[Variant | None] = [None] * len(pages)
    taken: list[list[Item]] = [[] for _ in pages]
    chance = random.Random(seed)
    while pages:
        page = chance.choices(pages, [speeds[each] for each in pages])[0]
        if item := schedule.take(page, loaded[page]):
            taken[page].append(item)
            loaded[page] = item.variant
        else:
            pages.remove(page)
    return taken


def loads(items: list[Item]) -> int:
    before = [None, *(item.variant for item in items)]
    return sum(item.variant != one for item, one in zip(items, before, strict=False))


@given(
    st.integers(0, 120),
    st.integers(1, 6),
    st.lists(st.integers(1, 50), min_size=1, max_size=9),
    st.integers(0, 1000),
)
def test_every_story_is_taken_once_in_every_variant_whatever_the_pages_speeds(
    count: int, variants: int, speeds: list[int], seed: int
) -> None:
    schedule = Schedule(stories(count), ALL_VARIANTS[:variants], len(speeds))
    taken = [item for page in take_all(schedule, speeds, seed) for item in page]
    assert len(taken) == count * variants
    chosen = ALL_VARIANTS[:variants]
    assert set(taken) == {Item(story, each) for story in stories(count) for each in chosen}


def test_a_page_loads_once_for_each_variant() -> None:
    taken = take_all(Schedule(stories(200), ALL_VARIANTS, 1), [1])
    assert loads(taken[0]) == len(ALL_VARIANTS)


def test_pages_divide_variants_before_they_divide_stories() -> None:
    pages = take_all(Schedule(stories(100), ALL_VARIANTS, 3), [1, 1, 1])
    # Each variant is loaded by one page, except for parts divided again at the end.
    assert sum(map(loads, pages)) <= len(ALL_VARIANTS) + 4


def test_pages_with_whole_variants_begin_with_different_stories() -> None:
    schedule = Schedule(stories(100), ALL_VARIANTS, 4)
    first = [schedule.take(page, None) for page in range(4)]
    assert len({item.story for item in first if item}) == 4
    assert len({item.variant for item in first if item}) == 4


def test_more_pages_than_variants_share_the_stories_of_a_variant() -> None:
    schedule = Schedule(stories(100), ALL_VARIANTS[:2], 3)
    assert [schedule.first_variant(page) for page in range(3)] == [
        ALL_VARIANTS[0],
        ALL_VARIANTS[1],
        ALL_VARIANTS[0],
    ]
    assert [each.story.id for page in (0, 2) if (each := schedule.take(page, None))] == [
        "a--0",
        "a--50",
    ]


def test_no_page_is_idle_while_another_has_much_left() -> None:
    schedule = Schedule(stories(100), ALL_VARIANTS, 2)
    quick, slow = take_all(schedule, [1000, 1])
    assert len(quick) > 500
    assert len(slow) < FEWEST_TO_LOAD + 10
    # A part divided again has one variant, so that few loads are added.
    assert loads(quick) <= 3 * len(ALL_VARIANTS)


def test_the_last_images_are_not_worth_a_load() -> None:
    schedule = Schedule(stories(FEWEST_IMAGES * 2), ONE, 2)
    for _ in range(FEWEST_IMAGES):
        schedule.take(0, ONE[0])
    for _ in range(FEWEST_IMAGES - FEWEST_TO_LOAD + 1):
        schedule.take(1, ONE[0])
    assert schedule.take(0, None) is None
    assert schedule.take(0, ONE[0]) is not None


def test_a_few_images_get_few_pages() -> None:
    few = FEWEST_IMAGES // len(ALL_VARIANTS)
    assert Schedule(stories(few), ALL_VARIANTS, 4).pages == 1
    assert Schedule(stories(few + 1), ALL_VARIANTS, 4).pages == 2
    assert Schedule([], ALL_VARIANTS, 4).pages == 0


def test_stories_that_play_come_last_and_those_of_one_file_apart() -> None:
    first, second, third, fourth, fifth = stories(5)
    one, two = replace(first, tags=(PLAYS,)), replace(third, tags=(PLAYS,))
    other = replace(fourth, import_path="./b.js", tags=(PLAYS,))
    assert order_plays([one, second, two, other, fifth]) == [second, fifth, one, other, two]


def test_early_images_are_of_the_page_and_the_theme() -> None:
    schedule = Schedule(stories(FEWEST_IMAGES * 2), ALL_VARIANTS, 2)
    taken = []
    while item := schedule.take_early(1, "light"):
        taken.append(item)
    assert {item.variant.theme for item in taken} == {"light"}
    own = take_all(Schedule(stories(FEWEST_IMAGES * 2), ALL_VARIANTS, 2), [1, 1])[1]
    assert taken == own[: len(taken)]
    schedule.put_back(1, taken)
    assert [schedule.take(1, None) for _ in taken] == taken
