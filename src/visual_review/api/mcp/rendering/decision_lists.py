"""The text of get_decisions: similar decisions together, as many as fit."""

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from visual_review.accounts.callers import Caller
from visual_review.actions.extended.get_decisions import (
    BuildDecisionResult,
    Result,
    ShotDecisionResult,
    cursor_after,
)
from visual_review.api.mcp.quoting import ORIGIN, PERSON, quote_identifier, quote_text
from visual_review.api.mcp.rendering.threads import describe_threads
from visual_review.api.mcp.rendering.truncation import fits_encoded
from visual_review.builds.states import CARRIED_OVER, CHANGED
from visual_review.builds.urls import build_url

MOST_TOKENS: Final = 9500
# Bytes of a comment; REST has all bytes.
COMMENT: Final = 1200


class _Kind(NamedTuple):
    """The common facts of decisions written together."""

    decision: str
    by: str
    means: str
    at: str
    evidence: str
    comment: str


def render_decisions(result: Result, _caller: Caller) -> str:
    head, decisions = list(_head(result)), result.decisions
    count = len(decisions)
    while True:
        text = "\n".join([*head, *_body(decisions[:count]), *_end(result, count)])
        # One decision always fits: its longest texts are limited.
        if count <= 1 or fits_encoded(text.encode(), MOST_TOKENS):
            return text
        count = count * 3 // 4


def _head(result: Result) -> Iterator[str]:
    state = result.review_state.replace("_", " ")
    yield f"Build {result.build_id} (#{result.build_number}, {result.status}) is {state}."
    if result.decision is not None:
        yield f"Decision on the build: {_describe_build(result.decision)}."
    removals = f", {result.removals_open:,} undecided removals" if result.removals_open else ""
    unseen = ""
    if result.approved_unseen:
        unseen = f" {result.approved_unseen:,} approved without a look at what changed."
    yield (
        f"{result.approved:,} approved, {result.rejected:,} rejected, "
        f"{result.open_screenshots:,} undecided{removals}.{unseen}"
    )
    if result.decisions or result.threads:
        yield ORIGIN
    yield from describe_threads(result.threads)


def _describe_build(decision: BuildDecisionResult) -> str:
    state = decision.review_state.replace("_", " ")
    through = describe_program(decision.source, decision.client, decision.version)
    return f"{state} by {quote_text(decision.by, PERSON)}{through}{_at(decision.at)}"


def _body(decisions: Sequence[ShotDecisionResult]) -> Iterator[str]:
    alike: dict[_Kind, list[ShotDecisionResult]] = {}
    for decision in decisions:
        alike.setdefault(_kind_of(decision), []).append(decision)
    for kind, members in alike.items():
        yield f"{kind.decision} by {kind.by}{kind.means}{kind.at}{kind.evidence}{kind.comment}:"
        yield from (_describe(member) for member in members)


def _kind_of(decision: ShotDecisionResult) -> _Kind:
    seen = decision.evidence
    client = seen.client if seen else decision.client
    means = describe_program(decision.source, client, seen.version if seen else None)
    # With seconds, decisions of one request would be separate.
    at = _at(decision.at and f"{decision.at[:16]}Z")
    evidence = f"; {seen.summary}" if seen and seen.summary else ""
    comment = f"; comment {quote_text(decision.comment, COMMENT)}" if decision.comment else ""
    by = quote_text(decision.by, PERSON)
    return _Kind(decision.decision.capitalize(), by, means, at, evidence, comment)


def _describe(shot: ShotDecisionResult) -> str:
    name = shot.screenshot_id if shot.number is None else f"#{shot.number}"
    state = "" if shot.diff_state == CHANGED else f" {shot.diff_state}"
    return f"- {name} {quote_identifier(shot.story_id)} {shot.theme}/{shot.device}{state}"


def describe_program(source: str, client: str | None, version: str | None) -> str:
    name = " ".join(filter(None, (client, version)))
    if source == CARRIED_OVER:
        return ", carried over from an earlier build"
    through = f" through {quote_text(name, PERSON)}" if name else ""
    return f" with an API key{through}" if source == "api_key" else through


def _at(moment: str | None) -> str:
    return f", {moment}" if moment else ""


def _end(result: Result, shown: int) -> Iterator[str]:
    if not result.decisions:
        yield "No screenshot is decided on this page."
    cursor = result.next_cursor
    if shown < len(result.decisions):
        cursor = cursor_after(result.decisions[shown - 1])
    yield (
        f'More decisions: get_decisions with cursor "{cursor}".' if cursor else "No more decisions."
    )
    yield f"Hashes of the images are in the REST result. Page: {build_url(result.build_id)}"
