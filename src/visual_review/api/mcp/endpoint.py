"""The endpoint ``/api/mcp``: all checks that come before the protocol."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AbstractContextManager, asynccontextmanager, nullcontext
from dataclasses import replace
from http import HTTPStatus
from typing import Any, Final

from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from visual_review.accounts.bearer_credentials import CREDENTIAL_INVALID, caller_of_bearer
from visual_review.accounts.callers import Caller
from visual_review.accounts.secrets import ACCESS_TOKEN
from visual_review.actions.registry import published_actions
from visual_review.api.credentials import bearer_of, wrong_credentials_limited
from visual_review.api.errors import UnsupportedMediaTypeError
from visual_review.api.json_bodies import ACTION_LIMIT, JSON_TYPE
from visual_review.api.mcp.authentication_errors import build_challenge
from visual_review.api.mcp.client_names import client_of
from visual_review.api.mcp.jsonrpc import (
    VERSION_HEADER,
    InvalidMessageError,
    called_tool,
    check_version,
    read_message,
)
from visual_review.api.mcp.media_types import is_json, takes_json
from visual_review.api.mcp.origins import allowed_hosts, allowed_origins
from visual_review.api.mcp.responses import (
    add_private_headers,
    normalize_headers,
    protocol_error_response,
    reject_request,
    reject_with_error,
    replay_body,
)
from visual_review.api.mcp.server import CALLER, make_server
from visual_review.api.mcp.sessions import HEADER as SESSION_HEADER
from visual_review.api.mcp.sessions import client_in, session_of
from visual_review.kernel.database_threads import DatabaseThreads
from visual_review.kernel.errors import TooLargeError, UnauthenticatedError

# Each keeps a database connection, in addition to those of the threads for pages and REST.
THREADS: Final = 8
# Rendering images is slow, so it has threads of its own and delays no sign-in or call.
RENDERING_THREADS: Final = 2
# Parsing more would delay all other requests of this process.
MAX_INLINE_PARSE: Final = 64 * 1024
# The key in the scope of a new session's id, until the response.
SESSION: Final = "visual_review.session"
OTHER_ORIGIN: Final = "Pages of other origins may not call this endpoint."
TOO_LARGE: Final = (
    f"The message is larger than {ACTION_LIMIT} bytes, the most this endpoint accepts."
)
READ_ONLY: Final = "This app may only read. Connect it again, allow changes, and repeat the call."


class McpEndpoint:
    """An ASGI application; ``run`` must be entered while it serves."""

    def __init__(self, public_url: str, threads: int = THREADS) -> None:
        self._public_url = public_url
        self._hosts = allowed_hosts(public_url)
        self._origins = allowed_origins(public_url)
        self.threads = DatabaseThreads(threads, "mcp")
        self.rendering_threads = DatabaseThreads(min(threads, RENDERING_THREADS), "rendering")
        # The library's own checks of Host and Origin are off: they are made here, with messages.
        self._manager = StreamableHTTPSessionManager(
            make_server(self.threads, self.rendering_threads), json_response=True, stateless=True
        )

    @asynccontextmanager
    async def run(self) -> AsyncIterator[None]:
        try:
            async with self._manager.run():
                yield
        finally:
            for threads in (self.threads, self.rendering_threads):
                await asyncio.to_thread(threads.close)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        request = Request(scope, receive)
        rejected = self._check_request(request) or await self._authenticate(request)
        if rejected is not None:
            await rejected(scope, receive, send)
            return
        body = await request.body()
        sending = add_private_headers(send, scope.get(SESSION, ""))
        await self._manager.handle_request(
            normalize_headers(scope), replay_body(body, receive), sending
        )

    def _check_request(self, request: Request) -> Response | None:
        """Return an error response for a request that no client of this service would send."""
        # Repeated headers are joined: a proxy may have used another one of them.
        if _all(request, "host").lower() not in self._hosts:
            detail = f"This service is available at {self._public_url}/api/mcp only."
            return reject_request(HTTPStatus.MISDIRECTED_REQUEST, detail)
        # Programs send no Origin; browsers send that of the page.
        if _all(request, "origin").lower() not in {"", *self._origins}:
            return reject_request(HTTPStatus.FORBIDDEN, OTHER_ORIGIN)
        if request.method != "POST":
            detail = f"{request.method} is not allowed here; every message is a POST."
            return reject_request(HTTPStatus.METHOD_NOT_ALLOWED, detail, Allow="POST")
        if not takes_json(_all(request, "accept")):
            detail = f"Responses are {JSON_TYPE}; name that type in 'Accept'."
            return reject_request(HTTPStatus.NOT_ACCEPTABLE, detail)
        return None

    async def _authenticate(self, request: Request) -> Response | None:
        """Put the caller into the scope; or return the error response that ends the request."""
        try:
            headers = {"Authorization": _all(request, "authorization")}
            bearer = bearer_of(headers, CREDENTIAL_INVALID)
            with _wrong_keys_limited(bearer, request):
                caller = await self.threads.run(caller_of_bearer, bearer)
            message = await _message_of(await _body_of(request))
            check_version(message, _all(request, VERSION_HEADER))
        except InvalidMessageError as error:
            return protocol_error_response(error)
        except UnauthenticatedError as error:
            return reject_with_error(error, WWW_Authenticate=self._challenge(request))
        except Exception as error:  # noqa: BLE001 - An endpoint always responds.
            return reject_with_error(error)
        if _lacks_scope(caller, called_tool(message)):
            challenge = build_challenge(
                self._public_url, "insufficient_scope", "The app may only read."
            )
            return reject_request(HTTPStatus.FORBIDDEN, READ_ONLY, WWW_Authenticate=challenge)
        caller = _with_client(caller, message, request)
        request.scope[CALLER] = caller
        if message["method"] == "initialize":
            request.scope[SESSION] = session_of(caller.client)
        return None

    def _challenge(self, request: Request) -> str:
        # RFC 6750, 3.1: no error code for a request without a credential.
        error = "invalid_token" if "authorization" in request.headers else ""
        return build_challenge(self._public_url, error)


def _wrong_keys_limited(bearer: str, request: Request) -> AbstractContextManager[None]:
    # A client whose access token expired learns only from status 401 that it must renew it.
    if bearer.startswith(ACCESS_TOKEN):
        return nullcontext()
    return wrong_credentials_limited(request.client.host if request.client else "")


def _all(request: Request, name: str) -> str:
    return ", ".join(request.headers.getlist(name))


async def _body_of(request: Request) -> bytes:
    if not is_json(_all(request, "content-type")):
        raise UnsupportedMediaTypeError(
            f"Send the message as 'Content-Type: {JSON_TYPE}' in UTF-8."
        )
    # Every request has its length by now, so a body that is too large is never read.
    content_length = request.headers.get("content-length", "")
    if content_length.isascii() and content_length.isdigit() and int(content_length) > ACTION_LIMIT:
        raise TooLargeError(TOO_LARGE)
    body = await request.body()
    if len(body) > ACTION_LIMIT:
        raise TooLargeError(TOO_LARGE)
    return body


async def _message_of(body: bytes) -> dict[str, Any]:
    if len(body) <= MAX_INLINE_PARSE:
        return read_message(body)
    return await asyncio.to_thread(read_message, body)


def _lacks_scope(caller: Caller, tool: str | None) -> bool:
    """Whether the person may use the tool, and the app only lacks the scope."""
    return any(
        action.permission in caller.withheld
        for action in published_actions()
        if action.name == tool
    )


def _with_client(caller: Caller, message: dict[str, Any], request: Request) -> Caller:
    # A connected app is named in its registration; a client with a key names itself.
    if caller.grant_id is not None:
        return caller
    session = client_in(request.headers.get(SESSION_HEADER, ""))
    user_agent = request.headers.get("user-agent", "")
    return replace(caller, client=client_of(message, session, user_agent))
