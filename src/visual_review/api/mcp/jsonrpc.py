"""The envelope of one JSON-RPC message; pure."""

from typing import Any, Final

from pydantic_core import from_json

from visual_review.actions.json_values import check_storable
from visual_review.api.json_bodies import parse_value
from visual_review.api.mcp.protocol import INVALID_REQUEST, PARSE_ERROR
from visual_review.kernel.errors import InvalidInputError

VERSION: Final = "2.0"
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
    # Python's parser accepts unpaired surrogates, which no response can repeat, and deep nesting.
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


def called_tool(message: dict[str, Any]) -> str | None:
    """Return the name of the tool that ``message`` calls, if it calls one."""
    if message["method"] != "tools/call":
        return None
    name = message.get("params", {}).get("name")
    return name if isinstance(name, str) else None
