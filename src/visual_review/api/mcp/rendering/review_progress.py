"""The progress of a build's review, and the changes still undecided; pure."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Self

from visual_review.builds.states import APPROVED, BLOCKING, COMPLETED, NOT_REQUIRED, REJECTED

DecisionCounts = Mapping[tuple[str, str], int]
WAITING: Final = {
    "uploading": "CI is still uploading. Call get_build again in a minute.",
    "processing": "The comparison is still running. Call get_build again in a minute.",
    "failed": "It could not be processed, so it cannot be decided. Publish it again.",
    "expired": "Its uploads never finished, so it cannot be decided. Publish it again.",
}


@dataclass(frozen=True)
class ReviewProgress:
    """Counts of a build's screenshots; ``open`` and ``rejected`` are changed and new ones."""

    differing: int
    open: int
    rejected: int
    open_removals: int
    removals: int
    failed: int

    @classmethod
    def of(cls, counts: DecisionCounts) -> Self:
        """Sum up screenshots by diff state and decision; the decision of undecided ones is ''."""
        known = Counter(counts)
        by_state = Counter[str]()
        for (state, _decision), count in known.items():
            by_state[state] += count
        return cls(
            differing=sum(by_state[state] for state in BLOCKING),
            open=sum(known[state, ""] for state in BLOCKING),
            rejected=sum(known[state, REJECTED] for state in BLOCKING),
            open_removals=known["removed", ""],
            removals=by_state["removed"],
            failed=by_state["failed"],
        )


def describe_progress(status: str, review_state: str, progress: ReviewProgress) -> list[str]:
    """Return the undecided changes, in sentences."""
    if status != COMPLETED:
        return [WAITING.get(status, f"It is '{status}'.")]
    if review_state == NOT_REQUIRED:
        return ["Nothing differs, so there is nothing to decide."]
    if review_state == APPROVED:
        return ["The build is approved; nothing is left to decide."]
    sentences = [_differing(progress), _failed(progress), _removed(progress)]
    return [sentence for sentence in sentences if sentence]


def _differing(progress: ReviewProgress) -> str:
    if not progress.differing:
        return ""
    of_all = f"of {progress.differing:,} changed or new screenshots"
    if progress.open:
        rejected = f", {progress.rejected:,} rejected" if progress.rejected else ""
        return f"{progress.open:,} {of_all} {_be(progress.open)} still undecided{rejected}."
    if progress.rejected:
        return (
            f"{progress.rejected:,} {of_all} {_be(progress.rejected)} rejected, which keeps the "
            "build from being approved; none is undecided."
        )
    return f"All {progress.differing:,} changed or new screenshots are approved."


def _failed(progress: ReviewProgress) -> str:
    if not progress.failed:
        return ""
    return (
        f"{progress.failed:,} failed and cannot be decided; only approve_build can finalize the "
        "build."
    )


def _removed(progress: ReviewProgress) -> str:
    if not progress.open_removals or progress.failed:
        return ""
    count = f"{progress.open_removals:,}"
    if progress.differing:
        return f"Undecided removals ({count}) are accepted with the last changed or new one."
    return (
        f"{count} of {progress.removals:,} removed screenshots {_be(progress.open_removals)} "
        "still undecided; approving all of them approves the build."
    )


def _be(count: int) -> str:
    return "is" if count == 1 else "are"
