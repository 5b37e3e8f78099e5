"""Responses of the endpoint itself: problem documents, and errors of JSON-RPC."""

from http import HTTPStatus

from django.http import HttpResponse
from mcp_types import ErrorData, JSONRPCError
from starlette.responses import Response
from starlette.types import Message, Receive, Scope, Send

from visual_review.api.errors import error_response, problem_response
from visual_review.api.json_bodies import JSON_TYPE
from visual_review.api.mcp.jsonrpc import InvalidMessageError
from visual_review.api.mcp.sessions import HEADER as SESSION_HEADER


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


def protocol_error_response(error: InvalidMessageError) -> Response:
    body = JSONRPCError(
        jsonrpc="2.0", id=error.request_id, error=ErrorData(code=error.code, message=str(error))
    )
    return Response(
        body.model_dump_json(by_alias=True, exclude_unset=True),
        HTTPStatus.BAD_REQUEST,
        {"Cache-Control": "no-store"},
        media_type=JSON_TYPE,
    )


def _to_starlette(response: HttpResponse) -> Response:
    return Response(response.content, response.status_code, dict(response.headers))


def normalize_headers(scope: Scope) -> Scope:
    """Return ``scope`` with the content types that the library expects."""
    expected = {
        b"accept": b"application/json, text/event-stream",
        b"content-type": b"application/json",
    }
    kept = [pair for pair in scope["headers"] if pair[0] not in expected]
    return {**scope, "headers": [*kept, *expected.items()]}


def replay_body(body: bytes, receive: Receive) -> Receive:
    """Return a ``receive`` that yields the request's body again, then what ``receive`` yields."""
    parts: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def received() -> Message:
        return parts.pop() if parts else await receive()

    return received


def add_private_headers(send: Send, session: str = "") -> Send:
    """Return a ``send`` whose responses are not cached and have the id of a new session."""
    added = [(b"cache-control", b"no-store")]
    if session:
        added.append((SESSION_HEADER.encode(), session.encode()))

    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            message = {**message, "headers": [*message["headers"], *added]}
        await send(message)

    return sending
