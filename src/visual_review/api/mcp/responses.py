"""Answers of the door itself: problem documents, and errors of JSON-RPC."""

from http import HTTPStatus

from django.http import HttpResponse
from mcp_types import ErrorData, JSONRPCError
from starlette.responses import Response
from starlette.types import Message, Receive, Scope, Send

from visual_review.api.errors import problem, problem_of
from visual_review.api.json_bodies import JSON_TYPE
from visual_review.api.mcp.jsonrpc import MessageRefusedError
from visual_review.api.mcp.sessions import HEADER as SESSION_HEADER


def refusal(status: HTTPStatus, detail: str, **headers: str) -> Response:
    """A problem document; header names are written with an underscore for the dash."""
    answer = _converted(problem(status, detail))
    answer.headers.update({name.replace("_", "-"): value for name, value in headers.items()})
    return answer


def refusal_of(error: Exception, **headers: str) -> Response:
    """The problem document of an error, as REST would answer it."""
    answer = _converted(problem_of(error))
    answer.headers.update({name.replace("_", "-"): value for name, value in headers.items()})
    return answer


def protocol_error(error: MessageRefusedError) -> Response:
    body = JSONRPCError(
        jsonrpc="2.0", id=error.request_id, error=ErrorData(code=error.code, message=str(error))
    )
    return Response(
        body.model_dump_json(by_alias=True, exclude_unset=True),
        HTTPStatus.BAD_REQUEST,
        {"Cache-Control": "no-store"},
        media_type=JSON_TYPE,
    )


def _converted(answer: HttpResponse) -> Response:
    return Response(answer.content, answer.status_code, dict(answer.headers))


def settled(scope: Scope) -> Scope:
    """``scope`` with the types of content as the library spells them; the door has judged them."""
    spelled = {
        b"accept": b"application/json, text/event-stream",
        b"content-type": b"application/json",
    }
    kept = [pair for pair in scope["headers"] if pair[0] not in spelled]
    return {**scope, "headers": [*kept, *spelled.items()]}


def replayed(body: bytes, receive: Receive) -> Receive:
    """The request's body once more, for who reads it next; then whatever ``receive`` tells."""
    parts: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def received() -> Message:
        return parts.pop() if parts else await receive()

    return received


def private(send: Send, session: str = "") -> Send:
    """``send``, with answers that nobody keeps, and with the id of a session that begins."""
    added = [(b"cache-control", b"no-store")]
    if session:
        added.append((SESSION_HEADER.encode(), session.encode()))

    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            message = {**message, "headers": [*message["headers"], *added]}
        await send(message)

    return sending
