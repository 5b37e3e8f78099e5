"""Limits lines to a number of tokens; pure."""

from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

from visual_review.api.mcp.rendering.token_counts import count_tokens

T = TypeVar("T")


def limit_lines(
    items: Sequence[T], write: Callable[[T], str], budget: int, what: str
) -> Iterator[str]:
    """Write the first items in ``budget`` tokens, then how many of ``what`` are left out."""
    left = budget
    for index, item in enumerate(items):
        line = write(item)
        left -= count_tokens(line)
        if left < 0:
            yield f"- and {len(items) - index:,} more {what}, not listed here"
            return
        yield line
