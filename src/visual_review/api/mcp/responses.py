"""Responses of the endpoint: problem documents, and messages of JSON-RPC."""

from http import HTTPStatus
from typing import Any, Final

from django.http import HttpResponse
from pydantic_core import from_json, to_json
from starlette.responses import Response

from visual_review.actions.json_values import check_storable
from visual_review.api.errors import error_response, problem_response
from visual_review.api.json_bodies import JSON_TYPE, parse_value
from visual_review.api.mcp.protocol import (
    HEADER_MISMATCH,
    INVALID_PARAMS,
    INVALID_REQUEST,
    METHOD_NOT_FOUND,
    PARSE_ERROR,
    UNSUPPORTED_VERSION,
    ProtocolError,
)
from visual_review.kernel.errors import InvalidInputError

VERSION: Final = "2.0"
NO_RESPONSES: Final = "this server sends no requests, so it takes no responses."


class InvalidMessageError(Exception):
    """The server does not accept the body as a message; ``code`` is JSON-RPC's."""

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
    # Python's parser accepts unpaired surrogates, impossible in a response, and deep nesting.
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
    """Return the name of the tool called by ``message``, None without a call."""
    if message["method"] != "tools/call":
        return None
    name = message.get("params", {}).get("name")
    return name if isinstance(name, str) else None


PRIVATE: Final = {"Cache-Control": "no-store"}
# Newer versions of the protocol require the statuses; older ones report every error with 200.
STATUSES: Final = {
    HEADER_MISMATCH: HTTPStatus.BAD_REQUEST,
    INVALID_PARAMS: HTTPStatus.BAD_REQUEST,
    METHOD_NOT_FOUND: HTTPStatus.NOT_FOUND,
    UNSUPPORTED_VERSION: HTTPStatus.BAD_REQUEST,
}


def reject_request(status: HTTPStatus, detail: str, **headers: str) -> Response:
    """Return a problem document; header names have an underscore in place of the dash."""
    response = _to_starlette(problem_response(status, detail))
    response.headers.update({name.replace("_", "-"): value for name, value in headers.items()})
    return response


def reject_with_error(error: Exception, **headers: str) -> Response:
    """Return the problem document of an error, as REST does."""
    response = _to_starlette(error_response(error))
    response.headers.update({name.replace("_", "-"): value for name, value in headers.items()})
    return response


def _to_starlette(response: HttpResponse) -> Response:
    return Response(response.content, response.status_code, dict(response.headers))


def result_response(request_id: str | int, result: bytes, **headers: str) -> Response:
    """Return a result in JSON; header names have an underscore in place of the dash."""
    body = b'{"jsonrpc":"2.0","id":%b,"result":%b}' % (to_json(request_id), result)
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Response(body, headers={**PRIVATE, **named}, media_type=JSON_TYPE)


def error_message_response(
    error: ProtocolError, request_id: str | int | None, *, with_status: bool
) -> Response:
    """Return an error of the protocol; ``with_status``: HTTP's status says so, too."""
    status = STATUSES.get(error.code, HTTPStatus.OK) if with_status else HTTPStatus.OK
    found: dict[str, Any] = {"code": error.code, "message": str(error)}
    if error.data is not None:
        found["data"] = error.data
    return _error_response(found, request_id, status)


def invalid_message_response(error: InvalidMessageError) -> Response:
    found = {"code": error.code, "message": str(error)}
    return _error_response(found, error.request_id, HTTPStatus.BAD_REQUEST)


def _error_response(
    error: dict[str, Any], request_id: str | int | None, status: HTTPStatus
) -> Response:
    body = to_json({"jsonrpc": VERSION, "id": request_id, "error": error})
    return Response(body, status, PRIVATE, media_type=JSON_TYPE)


def accepted_response() -> Response:
    """Return the response to a notification, always without effect."""
    return Response(status_code=HTTPStatus.ACCEPTED, headers=PRIVATE)
