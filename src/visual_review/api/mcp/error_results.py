"""Errors as tool results, so that the model can correct its call and continue."""

from typing import Final

from mcp_types import CallToolResult, TextContent

from visual_review.api.errors import MAX_POINTER, ErrorDescription

SHOWN_PROBLEMS: Final = 20


def error_result(error: ErrorDescription) -> CallToolResult:
    """Return an error as a tool result, with every input error and its position."""
    lines = [f"{error.status.phrase}: {error.detail}"]
    lines += [
        f"- {pointer[:MAX_POINTER] or '/'}: {message}"
        for pointer, message in error.problems[:SHOWN_PROBLEMS]
    ]
    return CallToolResult(content=[TextContent(text="\n".join(lines))], is_error=True)
