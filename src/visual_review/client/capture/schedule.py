"""Divides the stories among the pages of a run."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from visual_review.client.capture.stories import Story
from visual_review.client.capture.variants import Variant


@dataclass(frozen=True, slots=True)
class Chunk:
    """Stories that share one browser context, with all their variants."""

    stories: tuple[Story, ...]
    variants: tuple[Variant, ...]


def plan_chunks(
    stories: Sequence[Story], variants: Sequence[Variant], size: int, pages: int
) -> Iterator[Chunk]:
    """Return chunks of nearly equal length, at most ``size``, at least one for each page."""
    count = max(-(-len(stories) // size), min(pages, len(stories)))
    start = 0
    for number in range(count):
        end = len(stories) * (number + 1) // count
        yield Chunk(tuple(stories[start:end]), tuple(variants))
        start = end
