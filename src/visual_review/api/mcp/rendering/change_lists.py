"""The text of list_changes: groups, one line a story, as many as fit; pure."""

from collections.abc import Iterator, Sequence
from typing import Final

from visual_review.accounts.callers import Caller
from visual_review.actions.extended.change_rows import ListedChange, ListedGroup, ListedSize
from visual_review.actions.extended.list_changes import Result, cursor_after
from visual_review.api.mcp.quoting import ORIGIN, PERSON, quote_name, quote_text
from visual_review.api.mcp.rendering.review_progress import WAITING
from visual_review.api.mcp.rendering.truncation import fits_encoded
from visual_review.builds.states import CHANGED, COMPLETED, FAILED

MOST_TOKENS: Final = 9500
# Bytes of an identifier, never truncated, and of others' texts, truncated where necessary.
IDENTIFIER: Final = 4000
MESSAGE: Final = 300
REASON: Final = 200
MOST_REMAINDERS: Final = 12
MOST_BOXES: Final = 3


def render_changes(result: Result, _caller: Caller) -> str:
    count = sum(len(group.changes) for group in result.groups)
    while True:
        text = "\n".join(_lines(result, count))
        # One change always fits: its longest texts are limited.
        if count <= 1 or fits_encoded(text.encode(), MOST_TOKENS):
            return text
        count = count * 9 // 10


def _lines(result: Result, count: int) -> Iterator[str]:
    yield from _head(result)
    left, last = count, None
    for group in result.groups:
        shown = group.changes[:left]
        if shown:
            yield from _describe_group(group, shown, result)
            left, last = left - len(shown), shown[-1]
    yield from _end(result, last, is_shorter=count < sum(len(g.changes) for g in result.groups))


def _head(result: Result) -> Iterator[str]:
    pull_request = f", pull request {result.pull_request}" if result.pull_request else ""
    removals = f", {result.removals_open:,} undecided removals" if result.removals_open else ""
    threads = f", {result.open_threads:,} open threads" if result.open_threads else ""
    inherited = f", {result.inherited:,} not captured" if result.inherited else ""
    yield (
        f"Build {result.build_id} (#{result.build_number}, {result.status}) of branch "
        f"{quote_name(result.branch)}{pull_request} is {result.review_state.replace('_', ' ')}: "
        f"{result.changed:,} changed, {result.new:,} new, {result.removed:,} removed, "
        f"{result.failed:,} failed{inherited}; {result.open_screenshots:,} undecided{removals}{threads}; "
        f"{result.matching:,} "
        "match this call."
    )
    if result.message:
        yield f"Commit message: {quote_text(result.message, MESSAGE)}"
    yield f"{ORIGIN} Groups look alike; #numbers are for get_images and review_changes."


def _end(result: Result, last: ListedChange | None, *, is_shorter: bool) -> Iterator[str]:
    if result.failure:
        yield f"It failed: {quote_text(result.failure, MESSAGE)}"
    if result.status != COMPLETED:
        yield WAITING.get(result.status, f"It is '{result.status}'.").replace(
            "get_build", "list_changes"
        )
    elif last is None:
        yield "No change matches."
    cursor = cursor_after(last) if last is not None and is_shorter else result.next_cursor
    yield f'More changes: the same call with cursor "{cursor}".' if cursor else "No more changes."
    yield f"seen: {result.seen}"
    yield f"Page: {result.url}"


def _describe_group(
    group: ListedGroup, shown: Sequence[ListedChange], result: Result
) -> Iterator[str]:
    if group.number is None:
        yield "In no group:"
    else:
        number = f"G{group.number}" + (f" {group.id}" if result.with_ids else "")
        first = group.changes[0]
        is_alike = first.diff_state == CHANGED and first.not_from_branch is None
        word = "alike" if is_alike else "screenshots"
        alike = f"{group.screenshot_count:,} {word}" if group.screenshot_count > 1 else "alone"
        yield f"{number} ({alike}): {quote_text(group.name, MESSAGE)}{_remainders(group)}"
    known = group.name
    common = _facts(shown[0], known)
    is_common = len(shown) > 1 and all(_facts(each, known) == common for each in shown)
    summary = shown[0].summary or ""
    if is_common and common:
        yield f"each: {common}"
    elif len(shown) > 1 and summary and all(each.summary == summary for each in shown):
        # The rest, such as sizes, is not repeated for the sake of the sentence.
        yield f"each: {summary}"
        known = f"{known} {summary}"
    by_story: dict[str, list[ListedChange]] = {}
    for change in shown:
        by_story.setdefault(change.story_id, []).append(change)
    for story, changes in by_story.items():
        members = " ".join(
            _member(each, result, "" if is_common else _facts(each, known)) for each in changes
        )
        yield f"- {_name(story)}: {members}"


def _member(change: ListedChange, result: Result, facts: str) -> str:
    """Return a variant with its own facts, without the facts shared by all of the group."""
    identifier = f" {change.screenshot_id}" if result.with_ids else ""
    head = f"#{change.number}{identifier} {change.theme}/{change.device}"
    boxes = _boxes(change) if result.with_boxes else ""
    more = "; ".join(filter(None, (facts, boxes, *_circumstances(change))))
    return f"{head} ({more})" if more else head


def _facts(change: ListedChange, known: str = "") -> str:
    """Return the change in words, unless the group's name has the words already, and the sizes."""
    state = "" if change.diff_state == CHANGED else change.diff_state
    summary = "" if change.summary is None or change.summary in known else change.summary
    if change.diff_state == FAILED and summary:
        summary = quote_text(summary, REASON)
    return "; ".join(filter(None, (state, summary, _sizes(change))))


def _boxes(change: ListedChange) -> str:
    boxes = change.boxes[:MOST_BOXES]
    shown = ", ".join(f"{box.x},{box.y} {box.width}x{box.height}" for box in boxes)
    more = len(change.boxes) - MOST_BOXES
    return f"in {shown}{f' and {more} more' if more > 0 else ''}" if shown else ""


def _sizes(change: ListedChange) -> str:
    before, after = change.size_before, change.size_after
    if before == after or before is None or after is None:
        return _size(after or before)
    return f"{_size(before)} to {_size(after)}"


def _size(size: ListedSize | None) -> str:
    return f"{size.width}x{size.height}" if size else ""


def _circumstances(change: ListedChange) -> Iterator[str]:
    if change.decision:
        yield f"{change.decision} by {quote_text(change.decided_by or '', PERSON)}"
    previous = change.previous_decision
    if previous is not None:
        by = quote_text(previous.by, PERSON)
        yield f"the same pair was {previous.decision} in build #{previous.build_number} by {by}"
    if change.flakiness is not None:
        flaky = change.flakiness
        yield f"flaky: {flaky.unstable} unstable, {flaky.varied} varied of {flaky.captures}"
    if change.unstable:
        yield f"unstable: {quote_text(change.unstable, REASON)}"


def _remainders(group: ListedGroup) -> str:
    if not group.remainders:
        return ""
    shown = " ".join(f"#{number}" for number in group.remainders[:MOST_REMAINDERS])
    more = len(group.remainders) - MOST_REMAINDERS
    return f"; with more changes, each alone: {shown}" + (f" and {more} more" if more > 0 else "")


def _name(story: str) -> str:
    # Never truncated: the name may be the argument of the next call.
    return quote_text(story, IDENTIFIER)
