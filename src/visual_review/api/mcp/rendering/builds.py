"""The text of get_build: what waits for a decision first, all else in as few words as possible."""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final

from visual_review.accounts.callers import Caller
from visual_review.accounts.permissions import BUILDS_REVIEW
from visual_review.actions.build_results import ScreenshotResult
from visual_review.actions.published.get_build import FullBuild, Result
from visual_review.api.mcp.quoting import named, quoted
from visual_review.api.mcp.rendering.deciders import decided_by
from visual_review.api.mcp.rendering.next_steps import next_steps
from visual_review.api.mcp.rendering.review_progress import Standing, progress
from visual_review.api.mcp.rendering.stories import by_story, lines_within, names_of
from visual_review.builds.states import APPROVED, DIFFERENCES, REJECTED

# Tokens for each part of the text; together with head and end less than half of an answer.
OPEN_FULL: Final = 1900
OPEN_BRIEF: Final = 900
FAILED: Final = 400
REJECTED_ROOM: Final = 500
APPROVED_ROOM: Final = 250
SHOWN_COMMIT: Final = 12
REST: Final = "listed by get_build once these are decided, and on the page"
COMPARED: Final = {
    "target_branch": "the branch this pull request targets",
    "own_branch": "its own branch",
    "default_branch": "the default branch",
}


def text_of_build(result: Result, caller: Caller) -> str:
    build = result.build
    shots = build.screenshots
    standing = Standing.of(Counter((shot.diff_state, shot.review_decision or "") for shot in shots))
    lines = [
        *_head(build),
        *progress(build.status, build.review_state, standing),
        *_sections(shots),
    ]
    if standing.open or standing.open_removals:
        lines += next_steps(build.status, may_review=caller.may(BUILDS_REVIEW))
    return "\n".join([*lines, f"Page: {build.url}"])


def _head(build: FullBuild) -> Iterator[str]:
    yield f"Build #{build.number} ({build.id}), product {named(build.product_key)}: {_origin(build)}."
    decision = decided_by(build.review_state.replace("_", " "), build.decided)
    yield f"Status {build.status}; review: {decision}. {_compared(build)}"
    if build.message:
        yield f"Message: {quoted(build.message)}"
    if build.failure:
        yield f"Failure: {quoted(build.failure)}"
    if build.partial:
        yield "Partial: only some stories were captured, the others are taken from the baseline."
    if build.superseded_by is not None:
        yield f"Superseded by the newer build {build.superseded_by} of the same branch."
    counted = {**build.counts.model_dump(), "pending": _pending(build)}
    counts = [f"{count:,} {state}" for state, count in counted.items() if count]
    yield f"Screenshots: {', '.join(counts) or 'none'}."


def _pending(build: FullBuild) -> int:
    return sum(shot.diff_state == "pending" for shot in build.screenshots)


def _origin(build: FullBuild) -> str:
    fork = f" of the fork {named(build.head_repository)}" if build.head_repository else ""
    target = f" into {named(build.base_branch)}" if build.base_branch else ""
    pull = f", pull request {build.pull_request}{target}" if build.pull_request else ""
    return f"branch {named(build.branch)}{fork}{pull}, commit {named(build.commit[:SHOWN_COMMIT])}"


def _compared(build: FullBuild) -> str:
    rule = COMPARED.get(build.baseline.rule)
    if rule is None or build.baseline.branch is None:
        return "Compared with nothing: there is no baseline yet."
    branch = named(build.baseline.branch)
    return f"Compared with the baseline of {branch} ({rule}), move {build.baseline.move}."


def _sections(shots: Sequence[ScreenshotResult]) -> Iterator[str]:
    differing = [shot for shot in shots if shot.diff_state in DIFFERENCES]
    undecided = [shot for shot in differing if shot.review_decision is None]
    if undecided:
        yield "Undecided:"
        yield from lines_within(by_story(undecided), OPEN_FULL, OPEN_BRIEF, REST)
    failed = [shot for shot in shots if shot.diff_state == "failed"]
    if failed:
        yield "Failed:"
        yield from lines_within(by_story(failed), FAILED)
    rejected = [shot for shot in differing if shot.review_decision == REJECTED]
    if rejected:
        yield "Rejected:"
        yield from lines_within(by_story(rejected), REJECTED_ROOM)
    approved = [shot for shot in differing if shot.review_decision == APPROVED]
    yield from _approved(approved)


def _approved(shots: Sequence[ScreenshotResult]) -> Iterator[str]:
    """Approvals only by name: nothing is left to do about them."""
    if shots:
        deciders = Counter(decided_by("approved", shot.decided) for shot in shots)
        most, _count = deciders.most_common(1)[0]
        others = f" and {len(deciders) - 1} more deciders" if len(deciders) > 1 else ""
        yield f"{most[:1].upper()}{most[1:]}{others}: {names_of(shots, APPROVED_ROOM)}."
