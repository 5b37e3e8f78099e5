"""Errors as tool results, so that the model can correct its call and continue."""

from typing import Final

from visual_review.api.errors import MAX_POINTER, ErrorDescription
from visual_review.api.mcp.results import ToolResult, text_block

SHOWN_PROBLEMS: Final = 20


def error_result(error: ErrorDescription) -> ToolResult:
    """Return an error as a tool result, with every input error and its position, each once."""
    title = error.status.phrase
    if error.detail == (error.summary or error.detail):
        # The detail says all of it; problems repeat it for programs.
        return _failed(f"{title}: {error.detail}")
    lines = [f"{title}: {error.summary}:"]
    lines += [
        f"- {pointer[:MAX_POINTER] or 'body'}: {message}"
        for pointer, message in error.problems[:SHOWN_PROBLEMS]
    ]
    if len(error.problems) > SHOWN_PROBLEMS:
        lines.append(f"- and {len(error.problems) - SHOWN_PROBLEMS} more")
    return _failed("\n".join(lines))


def _failed(text: str) -> ToolResult:
    return ToolResult([text_block(text)], is_error=True)
