"""Lines up to a number of tokens; pure."""

from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

from visual_review.api.mcp.rendering.token_counts import tokens

T = TypeVar("T")


def filled(items: Sequence[T], write: Callable[[T], str], room: int, what: str) -> Iterator[str]:
    """The first items as lines of ``room`` tokens, then how many of ``what`` are left out."""
    left = room
    for place, item in enumerate(items):
        line = write(item)
        left -= tokens(line)
        if left < 0:
            yield f"- and {len(items) - place:,} more {what}, not listed here"
            return
        yield line
