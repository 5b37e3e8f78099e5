"""The envelope of one JSON-RPC message, checked before the protocol library sees it; pure.

For some errors the library would return its own internal messages.
"""

from typing import Any, Final

from mcp_types import (
    HEADER_MISMATCH,
    INVALID_REQUEST,
    PARSE_ERROR,
    PROTOCOL_VERSION_META_KEY,
)
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS
from pydantic_core import from_json

from visual_review.actions.json_values import check_storable
from visual_review.api.json_bodies import parse_value
from visual_review.kernel.errors import InvalidInputError

VERSION: Final = "2.0"
VERSION_HEADER: Final = "MCP-Protocol-Version"
NO_RESPONSES: Final = "this server sends no requests, so it takes no responses."


class InvalidMessageError(Exception):
    """The body is not a message this server accepts; ``code`` is JSON-RPC's."""

    def __init__(self, code: int, message: str, request_id: str | int | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.request_id = request_id


def read_message(data: bytes) -> dict[str, Any]:
    """Return the request or notification in ``data``; raises InvalidMessageError."""
    try:
        value = parse_value(data)
    except InvalidInputError as error:
        raise InvalidMessageError(PARSE_ERROR, str(error)) from error
    _check_readable(data, value)
    if isinstance(value, list):
        raise InvalidMessageError(
            INVALID_REQUEST, "Batches are not part of the protocol; send one message per request."
        )
    if not isinstance(value, dict):
        raise InvalidMessageError(INVALID_REQUEST, "The body must be one JSON-RPC message.")
    _check_envelope(value)
    return value


def _check_readable(data: bytes, value: object) -> None:
    # The library parses the body again, with a parser that accepts neither unpaired surrogates
    # nor deep nesting, and reports them with its own messages.
    try:
        from_json(data)
    except ValueError as error:
        raise InvalidMessageError(PARSE_ERROR, _unreadable(value)) from error


def _unreadable(value: object) -> str:
    try:
        check_storable(value)
    except InvalidInputError as error:
        return str(error)
    return "The body holds JSON that this server cannot read."


def _check_envelope(message: dict[str, Any]) -> None:
    request_id = message.get("id")
    known = _is_id(request_id)
    fault = _fault(message, id_fits=known or "id" not in message)
    if fault:
        raise InvalidMessageError(INVALID_REQUEST, fault, request_id if known else None)


def _fault(message: dict[str, Any], *, id_fits: bool) -> str:
    """Return the first error in the envelope, or an empty string."""
    response_members = message.keys() & {"result", "error"}
    rules = (
        (message.get("jsonrpc") == VERSION, f"The member 'jsonrpc' must be '{VERSION}'."),
        (id_fits, "The member 'id' must be a string or an integer."),
        ("method" in message, f"The member 'method' is missing; {NO_RESPONSES}"),
        (isinstance(message.get("method"), str), "The member 'method' must be a string."),
        (not response_members, f"A request has neither 'result' nor 'error'; {NO_RESPONSES}"),
        (isinstance(message.get("params", {}), dict), "The member 'params' must be an object."),
    )
    return next((fault for is_valid, fault in rules if not is_valid), "")


def _is_id(value: object) -> bool:
    # True is an int in Python, but not a number in JSON.
    return isinstance(value, (str, int)) and not isinstance(value, bool)


def check_version(message: dict[str, Any], header: str) -> None:
    """Raise InvalidMessageError for a message of a newer protocol version without its header.

    The library checks only the header, and would handle the message by the older version.
    """
    is_older = not header or header in HANDSHAKE_PROTOCOL_VERSIONS
    # Only older versions have the handshake, whatever else it contains.
    if is_older and message["method"] != "initialize" and _declared(message) not in {None, header}:
        raise InvalidMessageError(
            HEADER_MISMATCH,
            f"The header '{VERSION_HEADER}' must name the version that the message declares.",
            message.get("id"),
        )


def _declared(message: dict[str, Any]) -> str | None:
    meta = message.get("params", {}).get("_meta")
    version = meta.get(PROTOCOL_VERSION_META_KEY) if isinstance(meta, dict) else None
    return version if isinstance(version, str) else None


def called_tool(message: dict[str, Any]) -> str | None:
    """Return the name of the tool that ``message`` calls, if it calls one."""
    if message["method"] != "tools/call":
        return None
    name = message.get("params", {}).get("name")
    return name if isinstance(name, str) else None
