"""The image that counts among several of a doubtful story."""

import pytest

from visual_review.client.capture.workers import choose_image, is_decided

DOUBTS = ("a worker was running",)
ONE_DIFFERED = ("one of three images differed (a worker was running)",)
ALL_DIFFERED = ("three images all differed (a worker was running)",)


@pytest.mark.parametrize(
    ("images", "index", "unstable"),
    [
        ([b"a", b"a"], 0, ()),
        ([b"a", b"b", b"a"], 0, ONE_DIFFERED),
        ([b"a", b"b", b"b"], 1, ONE_DIFFERED),
        ([b"a", b"b", b"c"], 2, ALL_DIFFERED),
    ],
)
def test_the_image_that_was_seen_twice_counts(
    images: list[bytes], index: int, unstable: tuple[str, ...]
) -> None:
    assert is_decided(images)
    assert choose_image(images, DOUBTS) == (index, unstable)


@pytest.mark.parametrize("images", [[b"a"], [b"a", b"b"]])
def test_another_image_is_needed_until_two_are_equal(images: list[bytes]) -> None:
    assert not is_decided(images)
