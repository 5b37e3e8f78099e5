"""Results of requests as JSON, in the form of the protocol version."""

from dataclasses import dataclass, field
from importlib.metadata import version as version_of_package
from typing import Any, Final

from pydantic_core import to_json

from visual_review.api.errors import MAX_POINTER, ErrorDescription
from visual_review.api.mcp.protocol import SERVER_MEMBER, is_newer

SHOWN_PROBLEMS: Final = 20


SERVER_INFO: Final = {
    "name": "visual-review",
    "title": "Visual Review",
    "version": version_of_package("visual-review"),
}
JsonObject = dict[str, Any]


@dataclass(frozen=True)
class Result:
    """Members of a result; newer clients may reuse the result for ``seconds``, unless None."""

    members: JsonObject = field(default_factory=dict)
    seconds: int | None = None


@dataclass(frozen=True)
class ToolResult:
    """The result of a tool; ``structured`` is its structured content as JSON, if any."""

    content: list[JsonObject]
    structured: bytes | None = None
    is_error: bool = False


def text_block(text: str) -> JsonObject:
    return {"type": "text", "text": text}


def encode_any_result(version: str, result: Result | ToolResult) -> bytes:
    """Return a result as JSON, with the properties of ``version``."""
    if isinstance(result, ToolResult):
        return _encode_tool_result(version, result)
    if not is_newer(version):
        return to_json(result.members)
    # A result for one caller must not be given to others.
    cached = (
        {"ttlMs": result.seconds * 1000, "cacheScope": "private"}
        if result.seconds is not None
        else {}
    )
    return to_json({**result.members, **cached, **NEWER})


def _encode_tool_result(version: str, result: ToolResult) -> bytes:
    failed = b"true" if result.is_error else b"false"
    parts = [b'{"content":', to_json(result.content), b',"isError":', failed]
    # Structured content is long, and encoded already.
    if result.structured is not None:
        parts += [b',"structuredContent":', result.structured]
    return b"".join([*parts, _END if is_newer(version) else b"}"])


# Newer clients learn from every result which server sent the result.
NEWER: Final = {"resultType": "complete", "_meta": {SERVER_MEMBER: SERVER_INFO}}
_END: Final = b"," + to_json(NEWER)[1:]


def error_result(error: ErrorDescription) -> ToolResult:
    """Return an error as a tool result, with every input error and its position, each once."""
    title = error.status.phrase
    if error.detail == (error.summary or error.detail):
        # The detail is complete; problems repeat its content for programs.
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
