"""Reasons why a build stays unreviewed although no changed or new screenshot is undecided; pure."""

from collections.abc import Iterator, Mapping
from typing import Final

from visual_review.builds.states import (
    APPROVED,
    BLOCKING,
    DIFFERENCES,
    FAILED,
    REJECTED,
    REMOVED,
    UNCHANGED,
    UNREVIEWED,
)

WHOLE_BUILD: Final = "approve_build approves the build"


def count_open(counted: Mapping[tuple[str, str], int]) -> int:
    """Return how many changed and new screenshots have no decision.

    ``counted`` is the number of screenshots by diff state and decision (empty for none).
    """
    return sum(counted.get((state, ""), 0) for state in BLOCKING)


def count_open_removals(counted: Mapping[tuple[str, str], int]) -> int:
    """Return how many removed screenshots have no decision, and are accepted with the build."""
    return counted.get((REMOVED, ""), 0)


def describe_obstacles(review_state: str, counted: Mapping[tuple[str, str], int]) -> list[str]:
    """Return the obstacles of a decided build, each with the action to remove the obstacle."""
    if count_open(counted):
        return []
    if review_state == REJECTED:
        return list(_approved_but_failures(counted))
    found = [_obstacle(counted)] if review_state == UNREVIEWED else []
    return [*found, *_rejected_unchanged(review_state, counted.get((UNCHANGED, REJECTED), 0))]


def _approved_but_failures(counted: Mapping[tuple[str, str], int]) -> Iterator[str]:
    """Describe why a rejected build stays rejected after approvals of all differences."""
    differences = [(state, decision) for state, decision in counted if state in DIFFERENCES]
    decisions = {decision for state, decision in differences if counted[state, decision]}
    if decisions == {APPROVED} and (failed := _count_failed(counted)):
        yield (
            f"{_screenshots(failed)} failed and cannot be decided, so the build stays rejected "
            f"although everything else is approved. {WHOLE_BUILD} all the same; or fix the stories "
            "and publish again."
        )


def _count_failed(counted: Mapping[tuple[str, str], int]) -> int:
    return sum(count for (state, _), count in counted.items() if state == FAILED)


def _obstacle(counted: Mapping[tuple[str, str], int]) -> str:
    if failed := _count_failed(counted):
        # Only an action on the whole build ends the rejection, despite any other obstacle.
        rejected = sum(counted.get((state, REJECTED), 0) for state in DIFFERENCES)
        also = f", and {rejected:,} {_be(rejected)} rejected" if rejected else ""
        return (
            f"{_screenshots(failed)} failed and cannot be decided{also}. {WHOLE_BUILD} all the "
            "same, reject_build rejects it; or fix the stories and publish again."
        )
    if undecided := list(_blocking_screenshots(counted)):
        return (
            f"{' and '.join(undecided)}, so the build stays unreviewed. Approve what is named with "
            f"review_screenshot, or decide the build: {WHOLE_BUILD}, reject_build rejects it."
        )
    return f"Only the build itself is left to decide: {WHOLE_BUILD}, reject_build rejects it."


def _blocking_screenshots(counted: Mapping[tuple[str, str], int]) -> Iterator[str]:
    """Describe the screenshots that need an approval before the build is approved."""
    rejected = sum(counted.get((state, REJECTED), 0) for state in BLOCKING)
    if rejected:
        # Next to changed and new screenshots, removals do not block: approving the last of the
        # former is enough.
        yield f"{_screenshots(rejected, 'changed or new ')} {_be(rejected)} rejected"
        return
    for decision, text in ((REJECTED, "rejected"), ("", "undecided")):
        if removals := counted.get((REMOVED, decision), 0):
            yield f"{_screenshots(removals, 'removed ')} {_be(removals)} {text}"


def _rejected_unchanged(review_state: str, count: int) -> Iterator[str]:
    if not count:
        return
    state = review_state.replace("_", " ")
    yield (
        f"{_screenshots(count, 'unchanged ')} {_be(count)} rejected, which decides nothing about "
        f"the build: it is {state}. reject_build rejects the build."
    )


def _screenshots(count: int, kind: str = "") -> str:
    return f"{count:,} {kind}{'screenshot' if count == 1 else 'screenshots'}"


def _be(count: int) -> str:
    return "is" if count == 1 else "are"
