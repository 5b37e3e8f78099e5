"""The text of get_history: one line for each screenshot, newest build first."""

from collections.abc import Iterator
from typing import Final

from visual_review.accounts.callers import Caller
from visual_review.actions.extended.get_decisions import ShotDecisionResult
from visual_review.actions.extended.get_history import HistoryEntry, Result, cursor_after
from visual_review.api.mcp.quoting import ORIGIN, PERSON, quote_identifier, quote_text
from visual_review.api.mcp.rendering.decision_lists import describe_program
from visual_review.api.mcp.rendering.truncation import fits_encoded

MOST_TOKENS: Final = 9500
# Bytes of texts of others; REST has all bytes.
SUMMARY: Final = 300
COMMENT: Final = 600


def render_history(result: Result, _caller: Caller) -> str:
    count = len(result.entries)
    while True:
        shown, cursor = _page(result, count)
        lines = (*_head(result), *map(_describe, result.entries[:shown]), _end(cursor))
        text = "\n".join(lines)
        # A build has at most a few variants of a story, so all of them fit.
        if count <= 1 or fits_encoded(text.encode(), MOST_TOKENS):
            return text
        count = count * 3 // 4


def _page(result: Result, count: int) -> tuple[int, str | None]:
    if count == len(result.entries):
        return count, result.next_cursor
    return cursor_after(result.entries, count)


def _head(result: Result) -> Iterator[str]:
    yield (
        f"Story {quote_identifier(result.story_id)}, product {quote_identifier(result.product_key)}"
        f": {result.searched_builds:,} builds searched, newest first. In all others of them it was "
        "unchanged or absent."
    )
    yield ORIGIN
    for each in result.flakiness:
        if each.unstable or each.varied:
            yield (
                f"Flaky {each.theme}/{each.device}: of {each.captures} captures, {each.unstable} "
                f"were unstable and {each.varied} varied without a change of the sources."
            )


def _describe(entry: HistoryEntry) -> str:
    number = f"#{entry.number} " if entry.number is not None else ""
    pull = f", pull request #{entry.pull_request}" if entry.pull_request else ""
    build = f"{entry.build_id}, {quote_identifier(entry.branch)}{pull}, {entry.at[:10]}"
    variant = f"{number}{entry.theme}/{entry.device} {entry.diff_state}"
    parts = [f"- build {entry.build_number} ({build}): {variant}"]
    if entry.summary:
        parts.append(quote_text(entry.summary, SUMMARY))
    if entry.unstable:
        parts.append(f"unstable {quote_text(entry.unstable, SUMMARY)}")
    parts.append(_decision(entry.decision) if entry.decision else "undecided")
    return "; ".join(parts)


def _decision(decision: ShotDecisionResult) -> str:
    seen = decision.evidence
    client = seen.client if seen else decision.client
    through = describe_program(decision.source, client, seen.version if seen else None)
    images = f" ({seen.summary})" if seen and seen.summary else ""
    comment = f", comment {quote_text(decision.comment, COMMENT)}" if decision.comment else ""
    return f"{decision.decision} by {quote_text(decision.by, PERSON)}{through}{images}{comment}"


def _end(cursor: str | None) -> str:
    if cursor is None:
        return "There are no older builds."
    return f'Older builds: get_history with cursor "{cursor}".'
