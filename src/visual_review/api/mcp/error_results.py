"""Errors as results: what went wrong reaches the model, which can mend it and go on."""

from typing import Final

from mcp_types import CallToolResult, TextContent

from visual_review.api.errors import MAX_POINTER, Explained

SHOWN_PROBLEMS: Final = 20


def refusal(told: Explained) -> CallToolResult:
    """An error as a result, with every fault of the input and its place."""
    lines = [f"{told.status.phrase}: {told.detail}"]
    lines += [
        f"- {place[:MAX_POINTER] or '/'}: {text}" for place, text in told.problems[:SHOWN_PROBLEMS]
    ]
    return CallToolResult(content=[TextContent(text="\n".join(lines))], is_error=True)
