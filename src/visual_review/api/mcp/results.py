"""Results of requests as JSON, in the form of the protocol version."""

from dataclasses import dataclass
from functools import cache
from importlib.metadata import version as version_of_package
from typing import Any, Final

from mcp_types import SERVER_INFO_META_KEY, CallToolResult
from mcp_types.methods import serialize_server_result
from pydantic import BaseModel
from pydantic_core import to_json

from visual_review.api.mcp.versions import is_newer

SERVER_INFO: Final = {
    "name": "visual-review",
    "title": "Visual Review",
    "version": version_of_package("visual-review"),
}


@dataclass(frozen=True)
class ToolResult:
    """What a tool returns; ``structured`` is its structured content as JSON, if it has one."""

    shown: CallToolResult
    structured: bytes | None = None


def encode_result_of(method: str, version: str, result: BaseModel) -> bytes:
    """Return a result as JSON, with the properties that ``version`` has."""
    dumped = result.model_dump(by_alias=True, mode="json", exclude_none=True)
    return to_json({**serialize_server_result(method, version, dumped), **_more(version)})


def encode_tool_result(version: str, result: ToolResult) -> bytes:
    """Return a tool's result as JSON; the structured content is long, and encoded already."""
    blocks = to_json(result.shown.content, by_alias=True, exclude_none=True)
    failed = b"true" if result.shown.is_error else b"false"
    parts = [b'{"content":', blocks, b',"isError":', failed]
    if result.structured is not None:
        parts += [b',"structuredContent":', result.structured]
    return b"".join([*parts, _end(version)])


@cache
def _end(version: str) -> bytes:
    more = _more(version)
    return b"," + to_json({"resultType": "complete", **more})[1:] if more else b"}"


def _more(version: str) -> dict[str, Any]:
    # Newer clients learn from every result which server it came from.
    return {"_meta": {SERVER_INFO_META_KEY: SERVER_INFO}} if is_newer(version) else {}
