"""How far the review of a build has come, and what comes next; pure."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Self

from visual_review.builds.states import APPROVED, BLOCKING, COMPLETED, NOT_REQUIRED, REJECTED

Marks = Mapping[tuple[str, str], int]
WAITING: Final = {
    "uploading": "CI is still sending. Call get_build again in a minute.",
    "processing": "The comparison is still running. Call get_build again in a minute.",
    "failed": "It could not be processed, so it takes no decision. Publish it again.",
    "expired": "Its uploads never finished, so it takes no decision. Publish it again.",
}


@dataclass(frozen=True)
class Standing:
    """Counts of a build's screenshots; ``open`` and ``rejected`` are changed and new ones."""

    differing: int
    open: int
    rejected: int
    open_removals: int
    removals: int
    failed: int

    @classmethod
    def of(cls, marks: Marks) -> Self:
        """``marks`` counts the pairs of diff state and decision, which is empty where nobody did."""
        known = Counter(marks)
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


def progress(status: str, review_state: str, standing: Standing) -> list[str]:
    """What is left to decide, in sentences."""
    if status != COMPLETED:
        return [WAITING.get(status, f"It is '{status}'.")]
    if review_state == NOT_REQUIRED:
        return ["Nothing differs, so there is nothing to decide."]
    if review_state == APPROVED:
        return ["The build is approved; nothing is left to decide."]
    found = [_differing(standing), _failed(standing), _removed(standing)]
    return [sentence for sentence in found if sentence]


def _differing(standing: Standing) -> str:
    if not standing.differing:
        return ""
    of_all = f"of {standing.differing:,} changed or new screenshots"
    if standing.open:
        rejected = f", {standing.rejected:,} rejected" if standing.rejected else ""
        return f"{standing.open:,} {of_all} {_be(standing.open)} still undecided{rejected}."
    if standing.rejected:
        return (
            f"{standing.rejected:,} {of_all} {_be(standing.rejected)} rejected, which keeps the "
            "build from being approved; none is undecided."
        )
    return f"All {standing.differing:,} changed or new screenshots are approved."


def _failed(standing: Standing) -> str:
    if not standing.failed:
        return ""
    return (
        f"{standing.failed:,} failed, which take no decision and keep the build from being "
        "finalized until approve_build accepts them."
    )


def _removed(standing: Standing) -> str:
    if not standing.open_removals or standing.failed:
        return ""
    count = f"{standing.open_removals:,}"
    if standing.differing:
        return f"Undecided removals ({count}) are accepted with the last changed or new one."
    return (
        f"{count} of {standing.removals:,} removed screenshots {_be(standing.open_removals)} "
        "still undecided; approving all of them approves the build."
    )


def _be(count: int) -> str:
    return "is" if count == 1 else "are"
