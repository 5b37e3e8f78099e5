"""Errors as tool results, so that the model can correct its call and continue."""

from typing import Final

from visual_review.api.errors import MAX_POINTER, ErrorDescription
from visual_review.api.mcp.results import ToolResult, text_block

SHOWN_PROBLEMS: Final = 20


def error_result(error: ErrorDescription) -> ToolResult:
    """Return an error as a tool result, with every input error and its position."""
    lines = [f"{error.status.phrase}: {error.detail}"]
    lines += [
        f"- {pointer[:MAX_POINTER] or '/'}: {message}"
        for pointer, message in error.problems[:SHOWN_PROBLEMS]
    ]
    return ToolResult([text_block("\n".join(lines))], is_error=True)
