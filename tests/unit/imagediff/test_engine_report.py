"""What is said about the engine that compares images."""

import pytest

from visual_review.imagediff.engine import NATIVE, NUMPY, describe, describe_engine, native_problem


@pytest.mark.parametrize(
    ("name", "problem", "expected"),
    [
        (NATIVE, None, "native"),
        (NUMPY, "this installation has no library", "slower: this installation has no library"),
        (NUMPY, None, "slower: VISUAL_REVIEW_IMAGE_ENGINE chooses it"),
    ],
)
def test_the_engine_is_named_and_why_it_is_not_the_native_one(
    name: str, problem: str | None, expected: str
) -> None:
    described = describe(name, problem)
    assert described.startswith(name)
    assert described.endswith(expected)


def test_this_machine_says_why_it_has_no_native_engine() -> None:
    assert (native_problem() or NATIVE) in describe_engine()
