"""The envelope of one JSON-RPC message, checked before the protocol library sees it; pure.

The library would answer some faults with its own inner texts.
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

from visual_review.actions.json_values import refuse_unfit
from visual_review.api.json_bodies import parse_value
from visual_review.kernel.errors import InvalidInputError

VERSION: Final = "2.0"
VERSION_HEADER: Final = "MCP-Protocol-Version"
NO_ANSWERS: Final = "this server asks nothing, so it takes no answers."


class MessageRefusedError(Exception):
    """The body is no message this server takes; ``code`` is JSON-RPC's."""

    def __init__(self, code: int, message: str, request_id: str | int | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.request_id = request_id


def read_message(data: bytes) -> dict[str, Any]:
    """The request or notification in ``data``; raises MessageRefusedError."""
    try:
        value = parse_value(data)
    except InvalidInputError as error:
        raise MessageRefusedError(PARSE_ERROR, str(error)) from error
    _check_readable(data, value)
    if isinstance(value, list):
        raise MessageRefusedError(
            INVALID_REQUEST, "Batches are not part of the protocol; send one message a request."
        )
    if not isinstance(value, dict):
        raise MessageRefusedError(INVALID_REQUEST, "The body must be one JSON-RPC message.")
    _check_envelope(value)
    return value


def _check_readable(data: bytes, value: object) -> None:
    # The library reads the body once more, with a parser that takes neither half surrogate pairs
    # nor deep nesting, and tells so in its own words.
    try:
        from_json(data)
    except ValueError as error:
        raise MessageRefusedError(PARSE_ERROR, _unreadable(value)) from error


def _unreadable(value: object) -> str:
    try:
        refuse_unfit(value)
    except InvalidInputError as error:
        return str(error)
    return "The body holds JSON that this server cannot read."


def _check_envelope(message: dict[str, Any]) -> None:
    request_id = message.get("id")
    known = _is_id(request_id)
    fault = _fault(message, id_fits=known or "id" not in message)
    if fault:
        raise MessageRefusedError(INVALID_REQUEST, fault, request_id if known else None)


def _fault(message: dict[str, Any], *, id_fits: bool) -> str:
    """What is wrong with the envelope, the first fault only; empty when nothing is."""
    answers = message.keys() & {"result", "error"}
    rules = (
        (message.get("jsonrpc") == VERSION, f"The member 'jsonrpc' must be '{VERSION}'."),
        (id_fits, "The member 'id' must be a text or a whole number."),
        ("method" in message, f"The member 'method' is missing; {NO_ANSWERS}"),
        (isinstance(message.get("method"), str), "The member 'method' must be a text."),
        (not answers, f"A request has neither 'result' nor 'error'; {NO_ANSWERS}"),
        (isinstance(message.get("params", {}), dict), "The member 'params' must be an object."),
    )
    return next((fault for kept, fault in rules if not kept), "")


def _is_id(value: object) -> bool:
    # In Python true is a number, in JSON it is none.
    return isinstance(value, (str, int)) and not isinstance(value, bool)


def check_version(message: dict[str, Any], header: str) -> None:
    """Raise MessageRefusedError for a message of the newer protocol without its header.

    The library looks at the header alone, and would serve such a message by the older rules.
    """
    older = not header or header in HANDSHAKE_PROTOCOL_VERSIONS
    # The handshake is the older protocol's, whatever else its client has put into it.
    if older and message["method"] != "initialize" and _declared(message) not in {None, header}:
        raise MessageRefusedError(
            HEADER_MISMATCH,
            f"The header '{VERSION_HEADER}' must name the version that the message declares.",
            message.get("id"),
        )


def _declared(message: dict[str, Any]) -> str | None:
    meta = message.get("params", {}).get("_meta")
    version = meta.get(PROTOCOL_VERSION_META_KEY) if isinstance(meta, dict) else None
    return version if isinstance(version, str) else None


def called_tool(message: dict[str, Any]) -> str | None:
    """The name of the tool that ``message`` calls, if it calls one."""
    if message["method"] != "tools/call":
        return None
    name = message.get("params", {}).get("name")
    return name if isinstance(name, str) else None
