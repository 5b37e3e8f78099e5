"""Flakiness: how often a variant was unstable, or changed without its sources."""

from visual_review.builds.flakiness import MOST_CAPTURES, PastCapture, measure_flakiness


def past(
    sha256: str, source_hash: str = "source", renderer: str = "one", *, unstable: bool = False
) -> PastCapture:
    return PastCapture(unstable, source_hash, renderer, sha256)


def test_images_that_differ_from_the_same_sources_are_flaky() -> None:
    found = measure_flakiness([past("c", "later"), past("b"), past("a"), past("b"), past("b")])
    assert (found.captures, found.varied, found.unstable) == (5, 2, 0)
    assert found.is_flaky


def test_changed_and_unknown_sources_are_no_flakiness() -> None:
    found = measure_flakiness([past("b", "new"), past("a", "old"), past("b", ""), past("a", "")])
    assert not found.is_flaky


def test_another_renderer_is_no_flakiness() -> None:
    assert not measure_flakiness([past("b", renderer="other"), past("a")]).is_flaky


def test_only_the_latest_captures_count() -> None:
    old = [past("b", unstable=True), past("a", unstable=True)]
    same = [past("b")] * MOST_CAPTURES
    assert not measure_flakiness([*same, *old]).is_flaky
    assert measure_flakiness([*same[1:], *old]).unstable == 1
    # The oldest of the latest is compared with the one before.
    assert measure_flakiness([*same, past("a")]).varied == 1
