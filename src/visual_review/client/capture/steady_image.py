"""Decides which of several images of a doubtful story counts."""

from collections.abc import Sequence
from typing import Final

# The first, and two more if it is in doubt.
MOST_IMAGES: Final = 3


def is_decided(images: Sequence[bytes]) -> bool:
    """Return whether no further image is needed: two are equal, or there are enough."""
    return len(set(images)) < len(images) or len(images) >= MOST_IMAGES


def choose_image(images: Sequence[bytes], doubts: Sequence[str]) -> tuple[int, tuple[str, ...]]:
    """Return the index of the image that counts, and why the story is unstable.

    The first two being equal ends the doubt. Two of three are the likelier image, with a mark.
    """
    for index, image in enumerate(images):
        if image in images[index + 1 :]:
            equal = len(images) < MOST_IMAGES
            return index, () if equal else (_describe("one of three images differed", doubts),)
    return len(images) - 1, (_describe("three images all differed", doubts),)


def _describe(what: str, doubts: Sequence[str]) -> str:
    return f"{what} ({'; '.join(doubts)})"
