"""The progress of a build's review: who decided, what is undecided, and the next tools; pure."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final, Self

from visual_review.actions.build_results import DeciderResult, DeciderWithOriginResult
from visual_review.api.mcp.image_resources import TEMPLATE
from visual_review.api.mcp.quoting import PERSON, quote_text
from visual_review.api.mcp.tool_selection import ToolSelection
from visual_review.builds.states import (
    APPROVED,
    BLOCKING,
    CARRIED_OVER,
    COMPLETED,
    NOT_REQUIRED,
    REJECTED,
)

DecisionCounts = Mapping[tuple[str, str], int]
WAITING: Final = {
    "uploading": "CI is still uploading. Call get_build again in a minute.",
    "processing": "The comparison is still running. Call get_build again in a minute.",
    "failed": "It could not be processed, so it cannot be decided. Publish it again.",
    "expired": "Its uploads never finished, so it cannot be decided. Publish it again.",
}
DECIDE: Final = (
    "then decide with review_screenshot, approve_story_screenshots (a story), or approve_build or "
    "reject_build (all at once)."
)
DECIDE_ALL: Final = (
    "Next: list_changes gives numbers, get_images shows many of them at once, review_changes "
    "decides all of them in one call."
)
LOOK_AT_ALL: Final = (
    "list_changes gives numbers, get_images shows many of them at once. You may look, but not "
    "decide."
)


def describe_decision(decision: str, decided: DeciderResult | None) -> str:
    """Return ``approved by "Alice" through "Claude Code"``; names are quoted as texts of others."""
    if decided is None:
        return decision
    means = _means(decided)
    if decided.source == CARRIED_OVER:
        # The service made the decision, because of who approved the same pair before.
        who = (
            f", first approved by {quote_text(decided.name, PERSON)}{means}" if decided.name else ""
        )
        return f"{decision} as carried over from {_origin(decided)}{who}"
    return f"{decision} by {quote_text(decided.name, PERSON)}{means}"


def _origin(decided: DeciderResult) -> str:
    # Lists have none.
    if not isinstance(decided, DeciderWithOriginResult):
        return "an earlier build"
    origin = decided.carried_over_from
    if origin is None:
        return "an earlier build"
    build = f"build #{origin.build_number}"
    return f"{build} of pull request #{origin.pull_request}" if origin.pull_request else build


def _means(decided: DeciderResult) -> str:
    if decided.source == "api_key":
        return " with an API key"
    if decided.client:
        return f" through {quote_text(decided.client, PERSON)}"
    return " through an MCP client" if decided.source == "mcp" else ""


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


def describe_rest(selection: ToolSelection, *, has_open: bool) -> str:
    """Return where to find the data left out in a result of get_build."""
    everything = "The linked resource has everything, in parts; so have REST and the build's page."
    if selection.offers_extension("review"):
        return f"list_changes lists every change. {everything}"
    if has_open:
        return (
            f"What is undecided comes first: decide it, and get_build lists the next. {everything}"
        )
    return everything


def next_steps(status: str, selection: ToolSelection, *, may_review: bool) -> Iterator[str]:
    """Describe a caller's options for undecided screenshots."""
    if status != COMPLETED:
        return
    if selection.offers_extension("review"):
        yield DECIDE_ALL if may_review else LOOK_AT_ALL
        return
    look = f"the resources {TEMPLATE}"
    if may_review:
        yield f"Next: look at the images ({look}), {DECIDE}"
    else:
        yield f"{look} shows the images. You may look, but not decide."
