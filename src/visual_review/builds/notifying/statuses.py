"""What commit statuses say of the builds of a commit; pure.

One status a product, and one summary over all of them, so that a single required check suits a
repository of many products.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

from visual_review.builds.states import (
    APPROVED,
    COMPLETED,
    EXPIRED,
    FAILED,
    NOT_REQUIRED,
    REJECTED,
)

State = Literal["pending", "success", "failure", "error"]
Due = Literal["pending", "failure"]
Verdict = Literal["broken", "rejected", "failing", "due", "running", "good"]

SUMMARY: Final = "visual-review"
# GitHub takes 140 characters, the others more.
MOST_CHARACTERS: Final = 140
# The worst first: it decides the summary.
ORDER: Final[tuple[Verdict, ...]] = ("broken", "rejected", "failing", "due", "running", "good")
STATES: Final[dict[Verdict, State]] = {
    "broken": "error",
    "rejected": "failure",
    "failing": "failure",
    "due": "pending",
    "running": "pending",
    "good": "success",
}
SPOKEN: Final[dict[Verdict, str]] = {
    "broken": "broken",
    "rejected": "rejected",
    "failing": "with failed screenshots",
    "due": "to review",
    "running": "in progress",
    "good": "passed",
}


@dataclass(frozen=True)
class ProductSummary:
    """Where one build stands, as far as hosts are told. ``url`` is its page."""

    product_key: str
    number: int
    url: str
    status: str
    review_state: str = "unreviewed"
    failure: str = ""
    changed: int = 0
    new: int = 0
    removed: int = 0
    failed: int = 0
    unchanged: int = 0
    rejected: int = 0
    carried_over: int = 0
    wholly_carried: bool = False

    @property
    def verdict(self) -> Verdict:
        if self.status in {FAILED, EXPIRED}:
            return "broken"
        if self.status != COMPLETED:
            return "running"
        if self.review_state == REJECTED:
            return "rejected"
        if self.review_state in {APPROVED, NOT_REQUIRED}:
            return "good"
        return "failing" if self.failed else "due"


@dataclass(frozen=True)
class Status:
    state: State
    description: str
    url: str


def context_of(product_key: str) -> str:
    """The name of a product's status."""
    return f"{SUMMARY}/{product_key}"


def product_status(standing: ProductSummary, due: Due) -> Status:
    """``due`` is what a build says that waits for its review."""
    return Status(_state(standing.verdict, due), clip(words(standing)), standing.url)


def summary_status(product_summaries: Sequence[ProductSummary], due: Due) -> Status | None:
    """One status for all products of a commit; None without any build."""
    if not product_summaries:
        return None
    if len(product_summaries) == 1:
        return product_status(product_summaries[0], due)
    worst = worst_of(product_summaries)
    found = Counter(standing.verdict for standing in product_summaries)
    counts = ", ".join(f"{found[verdict]} {SPOKEN[verdict]}" for verdict in ORDER if found[verdict])
    description = clip(f"{len(product_summaries)} products: {counts}")
    return Status(_state(worst.verdict, due), description, worst.url)


def worst_of(product_summaries: Sequence[ProductSummary]) -> ProductSummary:
    return min(
        product_summaries, key=lambda standing: (ORDER.index(standing.verdict), standing.number)
    )


def words(standing: ProductSummary) -> str:
    """Where a build stands, in a sentence without its end; may hold words of others."""
    begin = f"Build #{standing.number}"
    if standing.verdict == "running":
        # One sentence for both, since GitLab shows no third wording of one state.
        return f"{begin}: uploading and comparing"
    if standing.verdict == "broken":
        return f"{begin} {standing.status}: {standing.failure or 'see its page'}"
    if standing.review_state == NOT_REQUIRED:
        return f"No visual changes ({standing.unchanged} compared)"
    return f"{_decision(standing)}: {counts_of(standing)}"


def counts_of(standing: ProductSummary) -> str:
    """``3 changed, 1 new``: what differs, and what else must be known of it."""
    named = {
        "changed": standing.changed,
        "new": standing.new,
        "removed": standing.removed,
        "failed": standing.failed,
    }
    # Of a rejected build all of them are, which its first word says.
    if standing.review_state != REJECTED:
        named["rejected"] = standing.rejected
    parts = [f"{count} {name}" for name, count in named.items() if count]
    return ", ".join(parts) or "no differences"


def clip(text: str, most: int = MOST_CHARACTERS) -> str:
    """``text`` on one line, without what cannot be seen, cut to ``most`` characters."""
    line = " ".join("".join(sign if sign.isprintable() else " " for sign in text).split())
    return line if len(line) <= most else f"{line[: most - 1]}…"


def _decision(standing: ProductSummary) -> str:
    if standing.review_state == REJECTED:
        return "Rejected"
    if standing.review_state == APPROVED:
        return "Approved by earlier decisions" if standing.wholly_carried else "Approved"
    return "Review needed"


def _state(verdict: Verdict, due: Due) -> State:
    return due if verdict == "due" else STATES[verdict]
