"""The commit statuses for the builds of a commit; pure.

One status for each product and a summary of all of them, so that a repository with many products
needs only one required check.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from visual_review.builds.deciders import CarriedApproval, name_people
from visual_review.builds.states import (
    APPROVED,
    COMPLETED,
    EXPIRED,
    FAILED,
    NOT_REQUIRED,
    REJECTED,
    UNREVIEWED,
)

State = Literal["pending", "success", "failure", "error"]
Due = Literal["pending", "failure"]
Verdict = Literal["broken", "rejected", "failing", "due", "unseen", "running", "good"]

# GitHub accepts 140 characters, the others more.
MAX_CHARACTERS: Final = 140
# Of the names in a description, to leave room for the rest.
MAX_PEOPLE: Final = 60
# The worst verdict comes first: it determines the summary.
ORDER: Final[tuple[Verdict, ...]] = (
    "broken",
    "rejected",
    "failing",
    "due",
    "unseen",
    "running",
    "good",
)
STATES: Final[dict[Verdict, State]] = {
    "broken": "error",
    "rejected": "failure",
    "failing": "failure",
    "due": "pending",
    "unseen": "pending",
    "running": "pending",
    "good": "success",
}
VERDICT_LABELS: Final[dict[Verdict, str]] = {
    "broken": "broken",
    "rejected": "rejected",
    "failing": "with failed screenshots",
    "due": "to review",
    "unseen": "without a capture",
    "running": "in progress",
    "good": "passed",
}


@dataclass(frozen=True)
class ProductSummary:
    """The state of a product's build, for statuses and comments. ``url`` is its page."""

    product_key: str
    number: int
    url: str
    status: str
    review_state: str = UNREVIEWED
    failure: str = ""
    changed: int = 0
    new: int = 0
    removed: int = 0
    removals_open: int = 0
    failed: int = 0
    unchanged: int = 0
    # The number of unchanged screenshots without a capture.
    taken_over: int = 0
    # The build is a pull request's, and no setting or proof lets it pass without captures.
    needs_capture: bool = False
    rejected: int = 0
    carried_over: int = 0
    fully_carried_over: bool = False
    carried_approvals: Sequence[CarriedApproval] = ()

    @property
    def verdict(self) -> Verdict:
        if self.status in {FAILED, EXPIRED}:
            return "broken"
        if self.status != COMPLETED:
            return "running"
        if self.review_state == REJECTED:
            return "rejected"
        if self.review_state in {APPROVED, NOT_REQUIRED}:
            return "unseen" if self._is_unseen else "good"
        return "failing" if self.failed else "due"

    @property
    def captured(self) -> int:
        return self.changed + self.new + self.failed + self.unchanged - self.taken_over

    @property
    def _is_unseen(self) -> bool:
        is_reviewed = self.review_state == APPROVED and not self.fully_carried_over
        return self.needs_capture and not self.captured and not is_reviewed


@dataclass(frozen=True)
class Status:
    state: State
    description: str
    url: str


def product_status(summary: ProductSummary, due: Due) -> Status:
    """Return a product's status; ``due`` is the state of builds waiting for a review."""
    description = truncate_line(describe_build(summary))
    return Status(_state(summary.verdict, due), description, summary.url)


def summary_status(product_summaries: Sequence[ProductSummary], due: Due) -> Status | None:
    """Return one status for all products of a commit; None without a build."""
    if not product_summaries:
        return None
    if len(product_summaries) == 1:
        return product_status(product_summaries[0], due)
    worst = worst_of(product_summaries)
    found = Counter(summary.verdict for summary in product_summaries)
    counts = ", ".join(
        f"{found[verdict]} {VERDICT_LABELS[verdict]}" for verdict in ORDER if found[verdict]
    )
    description = truncate_line(f"{len(product_summaries)} products: {counts}")
    return Status(_state(worst.verdict, due), description, worst.url)


def worst_of(product_summaries: Sequence[ProductSummary]) -> ProductSummary:
    """Return the build with the worst verdict; of several, the newest."""
    return min(
        product_summaries, key=lambda summary: (ORDER.index(summary.verdict), -summary.number)
    )


def worst_of_products(summaries: Iterable[ProductSummary]) -> list[ProductSummary]:
    """Return the worst build of each product, in the order of their keys."""
    by_product: dict[str, list[ProductSummary]] = {}
    for summary in summaries:
        by_product.setdefault(summary.product_key, []).append(summary)
    return [worst_of(by_product[key]) for key in sorted(by_product)]


def describe_build(summary: ProductSummary) -> str:
    """Describe the state of a build in one phrase, which may contain text from users."""
    build = f"Build #{summary.number}"
    if summary.verdict == "running":
        # One phrase for both: GitLab can change the description of a pending status only once.
        return f"{build}: uploading and comparing"
    if summary.verdict == "broken":
        return f"{build} {summary.status}: {summary.failure or 'see its page'}"
    capture = describe_capture(summary)
    if summary.verdict == "unseen":
        return f"Nothing captured{capture}: approve the build, or capture and publish again"
    if summary.review_state == NOT_REQUIRED:
        return f"No visual changes{capture or f' ({summary.unchanged} compared)'}"
    return f"{_decision(summary)}: {describe_counts(summary)}{capture}"


def describe_capture(summary: ProductSummary) -> str:
    """Return `` (0 captured, 210 taken over)`` where most was taken over; else nothing."""
    if summary.captured >= summary.taken_over:
        return ""
    return f" ({summary.captured} captured, {summary.taken_over} taken over)"


def describe_counts(summary: ProductSummary) -> str:
    """Return the counts of differences, failures and rejections: ``3 changed, 1 new``."""
    named = {
        "changed": summary.changed,
        "new": summary.new,
        "removed": summary.removed,
        "failed": summary.failed,
    }
    # In a rejected build all differences are rejected, and its description begins with the
    # rejection.
    if summary.review_state != REJECTED:
        named["rejected"] = summary.rejected
    parts = [f"{count} {name}" for name, count in named.items() if count]
    return ", ".join(parts) or "no differences"


def truncate_line(text: str, limit: int = MAX_CHARACTERS) -> str:
    """Return ``text`` on one line, printable, truncated to ``limit`` characters."""
    line = " ".join("".join(char if char.isprintable() else " " for char in text).split())
    return line if len(line) <= limit else f"{line[: limit - 1]}…"


def _decision(summary: ProductSummary) -> str:
    if summary.review_state == REJECTED:
        return "Rejected"
    if summary.review_state == APPROVED:
        return _carried_over(summary) if summary.fully_carried_over else "Approved"
    return "Review needed"


def _carried_over(summary: ProductSummary) -> str:
    approvals = summary.carried_approvals
    if not approvals:
        return "Approved by earlier decisions"
    by = truncate_line(name_people(approvals), MAX_PEOPLE)
    origins = {approval.origin for approval in approvals}
    where = "in earlier builds"
    if len(origins) == 1:
        origin = origins.pop()
        where = f"in {origin}" if origin else "in a deleted build"
    return f"Approved by {by} {where}, carried over"


def _state(verdict: Verdict, due: Due) -> State:
    return due if verdict == "due" else STATES[verdict]
