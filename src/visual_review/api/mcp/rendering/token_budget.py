"""Limits lines to a number of tokens; pure."""

from collections.abc import Callable, Iterator, Sequence
from typing import Final, TypeVar

from visual_review.actions.schema import MOST_ROWS
from visual_review.api.mcp.rendering.token_counts import count_tokens

T = TypeVar("T")
# Of lists that end at their limit.
OLDER: Final = f"There are older {{}}; a higher limit returns more, up to {MOST_ROWS:,}."


def limit_lines(
    items: Sequence[T], write: Callable[[T], str], budget: int, what: str
) -> Iterator[str]:
    """Write the first items in ``budget`` tokens, then how many of ``what`` are left out."""
    left = budget
    uncounted: list[str] = []
    most = 0
    for index, item in enumerate(items):
        line = write(item)
        # No text has more tokens than bytes, so the first lines fit whatever they are.
        most += len(line.encode())
        if most > left:
            left -= sum(map(count_tokens, (*uncounted, line)))
            if left < 0:
                yield f"- and {len(items) - index:,} more {what}, not listed here"
                return
            uncounted, most = [], 0
        else:
            uncounted.append(line)
        yield line
