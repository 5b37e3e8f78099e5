"""The text of threads, of a written comment, and of requested reviews."""

from collections.abc import Iterator, Sequence
from typing import Final

from visual_review.accounts.callers import Caller
from visual_review.actions.extended import request_review
from visual_review.actions.extended.comment import Result
from visual_review.actions.thread_results import CommentResult, ThreadResult
from visual_review.api.mcp.quoting import PERSON, quote_identifier, quote_text
from visual_review.api.mcp.rendering.truncation import limit_lines

THREAD_TOKENS: Final = 3000
# Bytes of one comment; REST has all bytes.
COMMENT: Final = 600
# A reply is about the newest comments of a thread.
COMMENTS_SHOWN: Final = 5


def render_comment(result: Result, _caller: Caller) -> str:
    lines = [f"Comment {result.comment_id} is in thread {result.thread_id}."]
    if result.mentioned:
        lines.append(f"Mentioned: {_names(result.mentioned)}.")
    if result.unknown:
        names = ", ".join(quote_text(f"@{name}", PERSON) for name in result.unknown)
        lines.append(f"No member is called {names}: the comment mentions no one by it.")
    return "\n".join(lines)


def render_request(result: request_review.Result, _caller: Caller) -> str:
    lines = []
    if result.asked:
        lines.append(f"Asked: {_names(result.asked)}.")
    if result.unknown:
        lines.append(f"No member is called {_names(result.unknown)}.")
    return "\n".join([*lines, f"Reviewers of the branch: {_names(result.reviewers) or 'none'}."])


def _names(names: Sequence[str]) -> str:
    return ", ".join(quote_text(name, PERSON) for name in names)


def describe_threads(threads: Sequence[ThreadResult]) -> Iterator[str]:
    """Yield the open threads with their newest comments, as many as fit; nothing without any."""
    if threads:
        yield f"Open threads: {len(threads):,}. Reply with comment and threadId."
        yield from limit_lines(threads, _describe_thread, THREAD_TOKENS, "threads")


def _describe_thread(thread: ThreadResult) -> str:
    number = "" if thread.number is None else f" #{thread.number}"
    place = f" at {thread.place.x},{thread.place.y}" if thread.place else ""
    earlier = ", written about an earlier image" if thread.about_earlier_image else ""
    story = f"{quote_identifier(thread.story_id)} {thread.theme}/{thread.device}"
    hidden = len(thread.comments) - COMMENTS_SHOWN
    omitted = [f"  ({hidden} earlier comments)"] if hidden > 0 else []
    comments = [_describe_comment(each) for each in thread.comments[-COMMENTS_SHOWN:]]
    return "\n".join([f"- {thread.id}{number} {story}{place}{earlier}", *omitted, *comments])


def _describe_comment(comment: CommentResult) -> str:
    through = f" through {quote_text(comment.client, PERSON)}" if comment.client else ""
    text = quote_text(comment.text, COMMENT) if comment.text else "deleted"
    return f"  {quote_text(comment.by, PERSON)}{through}, {comment.at[:16]}Z: {text}"
