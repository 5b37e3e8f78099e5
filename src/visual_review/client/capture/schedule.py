"""Divides the stories among the pages of a run."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from visual_review.client.capture.stories import Story
from visual_review.client.capture.variants import Variant

# Fewer are not worth another browser, which takes about a second of a core.
FEWEST_IMAGES: Final = 24


@dataclass(frozen=True, slots=True)
class Chunk:
    """Stories that share one browser context, with all their variants."""

    stories: tuple[Story, ...]
    variants: tuple[Variant, ...]


def plan_chunks(
    stories: Sequence[Story], variants: Sequence[Variant], size: int, pages: int
) -> list[Chunk]:
    """Return chunks of nearly equal length, at most ``size``, enough for each page to have one.

    A small number of images gets fewer pages.
    """
    worth = -(-len(stories) * len(variants) // FEWEST_IMAGES)
    least = min(pages, worth, len(stories))
    count = max(-(-len(stories) // size), least)
    if count > least:
        # So that all pages end at about the same time.
        count = min(len(stories), -(-count // least) * least)
    bounds = [len(stories) * number // count for number in range(count + 1)] if count else []
    return [Chunk(tuple(stories[start:end]), tuple(variants)) for start, end in pairwise(bounds)]
