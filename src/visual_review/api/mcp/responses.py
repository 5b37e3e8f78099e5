"""Responses of the endpoint: problem documents, and messages of JSON-RPC."""

from http import HTTPStatus
from typing import Any, Final

from django.http import HttpResponse
from pydantic_core import to_json
from starlette.responses import Response

from visual_review.api.errors import error_response, problem_response
from visual_review.api.json_bodies import JSON_TYPE
from visual_review.api.mcp.jsonrpc import VERSION, InvalidMessageError
from visual_review.api.mcp.protocol import (
    HEADER_MISMATCH,
    INVALID_PARAMS,
    METHOD_NOT_FOUND,
    UNSUPPORTED_VERSION,
    ProtocolError,
)

PRIVATE: Final = {"Cache-Control": "no-store"}
# What newer versions of the protocol require; older ones report every error with status 200.
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
    """Return a result, which is JSON; header names have an underscore in place of the dash."""
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
    """Return the response to a notification, which has no effect here."""
    return Response(status_code=HTTPStatus.ACCEPTED, headers=PRIVATE)
