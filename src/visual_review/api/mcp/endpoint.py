"""The door of ``/api/mcp``: everything that is settled before the protocol begins."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from http import HTTPStatus
from typing import Any, Final

from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from visual_review.accounts.bearer_credentials import CREDENTIAL_INVALID, caller_of_bearer
from visual_review.accounts.callers import Caller
from visual_review.actions.registry import published_actions
from visual_review.api.credentials import bearer_of
from visual_review.api.errors import UnsupportedMediaTypeError
from visual_review.api.json_bodies import ACTION_LIMIT, JSON_TYPE
from visual_review.api.mcp.authentication_errors import challenge
from visual_review.api.mcp.client_names import client_of
from visual_review.api.mcp.database_threads import DatabaseThreads
from visual_review.api.mcp.jsonrpc import (
    VERSION_HEADER,
    MessageRefusedError,
    called_tool,
    check_version,
    read_message,
)
from visual_review.api.mcp.media_types import is_json, takes_json
from visual_review.api.mcp.origins import allowed_hosts, allowed_origins
from visual_review.api.mcp.responses import (
    private,
    protocol_error,
    refusal,
    refusal_of,
    replayed,
    settled,
)
from visual_review.api.mcp.server import CALLER, make_server
from visual_review.api.mcp.sessions import HEADER as SESSION_HEADER
from visual_review.api.mcp.sessions import client_in, session_of
from visual_review.kernel.errors import TooLargeError, UnauthenticatedError

# Each keeps a database connection, beside those of the threads that serve pages and REST.
THREADS: Final = 8
# Drawing pictures takes long, so it has threads of its own and holds up nobody's sign-in or call.
DRAWING_THREADS: Final = 2
# Reading more would hold up all other requests of this process.
READ_AT_ONCE: Final = 64 * 1024
# Where the id of a session that begins waits for the answer.
SESSION: Final = "visual_review.session"
ELSEWHERE: Final = "Pages of other origins may not call this address."
TOO_LARGE: Final = f"The message is larger than {ACTION_LIMIT} bytes, the most this address reads."
READ_ONLY: Final = "This app may only read. Connect it again, allow changes, and call once more."


class McpEndpoint:
    """An ASGI application; ``run`` must be entered while it serves."""

    def __init__(self, public_url: str, threads: int = THREADS) -> None:
        self._public_url = public_url
        self._hosts = allowed_hosts(public_url)
        self._origins = allowed_origins(public_url)
        self.threads = DatabaseThreads(threads)
        self.drawing = DatabaseThreads(min(threads, DRAWING_THREADS))
        # The library's own checks of Host and Origin stay off: this door has made them, with words.
        self._manager = StreamableHTTPSessionManager(
            make_server(self.threads, self.drawing), json_response=True, stateless=True
        )

    @asynccontextmanager
    async def run(self) -> AsyncIterator[None]:
        try:
            async with self._manager.run():
                yield
        finally:
            for threads in (self.threads, self.drawing):
                await asyncio.to_thread(threads.close)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        request = Request(scope, receive)
        refused = self._misdirected(request) or await self._not_let_in(request)
        if refused is not None:
            await refused(scope, receive, send)
            return
        body = await request.body()
        sending = private(send, scope.get(SESSION, ""))
        await self._manager.handle_request(settled(scope), replayed(body, receive), sending)

    def _misdirected(self, request: Request) -> Response | None:
        """The refusal of a request that no client of this service would send."""
        # Repeated headers count as a whole: another reader might look at another of them.
        if _all(request, "host").lower() not in self._hosts:
            detail = f"This service answers at {self._public_url}/api/mcp only."
            return refusal(HTTPStatus.MISDIRECTED_REQUEST, detail)
        # Programs send no Origin; that of a browser tells whose page it was.
        if _all(request, "origin").lower() not in {"", *self._origins}:
            return refusal(HTTPStatus.FORBIDDEN, ELSEWHERE)
        if request.method != "POST":
            detail = f"{request.method} is not possible here; every message is a POST."
            return refusal(HTTPStatus.METHOD_NOT_ALLOWED, detail, Allow="POST")
        if not takes_json(_all(request, "accept")):
            detail = f"Answers come as {JSON_TYPE}; name that type in 'Accept'."
            return refusal(HTTPStatus.NOT_ACCEPTABLE, detail)
        return None

    async def _not_let_in(self, request: Request) -> Response | None:
        """None when the scope now holds the caller, else the answer that ends the request."""
        try:
            given = {"Authorization": _all(request, "authorization")}
            bearer = bearer_of(given, CREDENTIAL_INVALID)
            caller = await self.threads.run(caller_of_bearer, bearer)
            message = await _message_of(await _body_of(request))
            check_version(message, _all(request, VERSION_HEADER))
        except MessageRefusedError as error:
            return protocol_error(error)
        except UnauthenticatedError as error:
            return refusal_of(error, WWW_Authenticate=self._sign_in(request))
        except Exception as error:  # noqa: BLE001 - A door answers, whatever happened behind it.
            return refusal_of(error)
        if _lacks_scope(caller, called_tool(message)):
            more = challenge(self._public_url, "insufficient_scope", "The app may only read.")
            return refusal(HTTPStatus.FORBIDDEN, READ_ONLY, WWW_Authenticate=more)
        caller = _with_client(caller, message, request)
        request.scope[CALLER] = caller
        if message["method"] == "initialize":
            request.scope[SESSION] = session_of(caller.client)
        return None

    def _sign_in(self, request: Request) -> str:
        # RFC 6750, 3.1: whoever sent no credential made no mistake yet.
        error = "invalid_token" if "authorization" in request.headers else ""
        return challenge(self._public_url, error)


def _all(request: Request, name: str) -> str:
    return ", ".join(request.headers.getlist(name))


async def _body_of(request: Request) -> bytes:
    if not is_json(_all(request, "content-type")):
        raise UnsupportedMediaTypeError(
            f"Send the message as 'Content-Type: {JSON_TYPE}' in UTF-8."
        )
    # Every request has its length by now, so what is too large is never taken into memory.
    announced = request.headers.get("content-length", "")
    if announced.isascii() and announced.isdigit() and int(announced) > ACTION_LIMIT:
        raise TooLargeError(TOO_LARGE)
    body = await request.body()
    if len(body) > ACTION_LIMIT:
        raise TooLargeError(TOO_LARGE)
    return body


async def _message_of(body: bytes) -> dict[str, Any]:
    if len(body) <= READ_AT_ONCE:
        return read_message(body)
    return await asyncio.to_thread(read_message, body)


def _lacks_scope(caller: Caller, tool: str | None) -> bool:
    """Whether the person could do what the app was not allowed to."""
    return any(
        action.permission in caller.withheld
        for action in published_actions()
        if action.name == tool
    )


def _with_client(caller: Caller, message: dict[str, Any], request: Request) -> Caller:
    # A connected app is known by its registration; what comes with a key by its own word.
    if caller.grant_id is not None:
        return caller
    session = client_in(request.headers.get(SESSION_HEADER, ""))
    user_agent = request.headers.get("user-agent", "")
    return replace(caller, client=client_of(message, session, user_agent))
