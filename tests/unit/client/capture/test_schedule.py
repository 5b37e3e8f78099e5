"""How stories are divided among pages."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from visual_review.client.capture import ALL_VARIANTS, Story
from visual_review.client.capture.schedule import FEWEST_IMAGES, Chunk, plan_chunks

SIZE = 25


def stories(count: int) -> list[Story]:
    return [Story(f"a--{number}", "A", str(number), "./a.js") for number in range(count)]


def lengths(chunks: list[Chunk]) -> list[int]:
    return [len(chunk.stories) for chunk in chunks]


@given(st.integers(0, 400), st.integers(1, 6), st.integers(1, 30), st.integers(1, 9))
def test_every_story_is_in_one_chunk_and_chunks_are_equally_long(
    count: int, variants: int, size: int, pages: int
) -> None:
    chunks = plan_chunks(stories(count), ALL_VARIANTS[:variants], size, pages)
    assert [story for chunk in chunks for story in chunk.stories] == stories(count)
    assert all(chunk.variants == ALL_VARIANTS[:variants] for chunk in chunks)
    assert all(0 < length <= size for length in lengths(chunks))
    assert all(abs(one - other) <= 1 for one, other in pairwise(sorted(lengths(chunks))))


def test_one_page_gets_the_longest_chunks() -> None:
    assert lengths(plan_chunks(stories(50), ALL_VARIANTS, SIZE, 1)) == [25, 25]


def test_all_pages_get_the_same_number_of_chunks() -> None:
    assert lengths(plan_chunks(stories(60), ALL_VARIANTS, SIZE, 2)) == [15] * 4


def test_a_few_images_get_few_pages() -> None:
    few = FEWEST_IMAGES // len(ALL_VARIANTS)
    assert len(plan_chunks(stories(few), ALL_VARIANTS, SIZE, 4)) == 1
    assert len(plan_chunks(stories(few + 1), ALL_VARIANTS, SIZE, 4)) == 2
    assert plan_chunks([], ALL_VARIANTS, SIZE, 4) == []
