"""The endpoint ``/api/mcp``: checks each request, and has its message handled in a thread."""

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from http import HTTPStatus
from typing import Any, Final, Protocol, TypeVar
from urllib.parse import SplitResult, urlsplit

from django.core import signing
from django.http.request import MediaType
from starlette.requests import ClientDisconnect
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from visual_review.accounts.bearer_credentials import CREDENTIAL_INVALID, caller_of_bearer
from visual_review.accounts.callers import Caller
from visual_review.accounts.client_address import client_network
from visual_review.accounts.oauth.client_rules import shown_name
from visual_review.accounts.oauth.scopes import SCOPES
from visual_review.accounts.secrets import ACCESS_TOKEN
from visual_review.api.credentials import bearer_of, wrong_credentials_limited
from visual_review.api.errors import UnsupportedMediaTypeError
from visual_review.api.json_bodies import ACTION_LIMIT, JSON_TYPE
from visual_review.api.mcp.protocol import CLIENT_MEMBER, ProtocolError, is_newer
from visual_review.api.mcp.responses import (
    InvalidMessageError,
    accepted_response,
    called_tool,
    error_message_response,
    invalid_message_response,
    read_message,
    reject_request,
    reject_with_error,
    result_response,
)
from visual_review.api.mcp.server import ProtocolRequest, handle_request
from visual_review.api.mcp.tool_selection import EVERYTHING, ToolSelection, read_selection
from visual_review.api.mcp.tool_selection import HEADER as TOOLS_HEADER
from visual_review.api.mcp.versions import version_of
from visual_review.api.user_agents import VERSION_LENGTH, ClientIdentity, product_of
from visual_review.kernel.errors import TooLargeError, UnauthenticatedError

_UTF8: Final = frozenset({"utf-8", "utf8"})
UNKNOWN: Final = "an MCP client"
# Names of HTTP libraries say nothing about the client.
LIBRARIES: Final = frozenset(
    {"axios", "bun", "curl", "deno", "go-http-client", "httpx", "mozilla", "node", "node-fetch"}
    | {"okhttp", "python-httpx", "python-httpx2", "python-requests", "reqwest", "undici"}
)
# Older protocol versions name the client once, in the handshake. From then on the client sends the
# signed identity, so the service stores nothing and any web process can handle any request.
SESSION_HEADER: Final = "mcp-session-id"
_SALT: Final = "visual_review.mcp.session"
LOOPBACK: Final = ("localhost", "127.0.0.1", "[::1]")
DEFAULT_PORTS: Final = {"http": 80, "https": 443}
REALM: Final = "Visual Review"
OTHER_ORIGIN: Final = "Pages of other origins may not call this endpoint."
READ_ONLY: Final = "This app may only read. Connect it again, allow changes, and repeat the call."
Message = dict[str, Any]
T = TypeVar("T")


def is_json(content_type: str) -> bool:
    """Whether a body of the type is JSON in UTF-8, the only encoding of JSON."""
    media = MediaType(content_type)
    charset = media.params.get("charset", "utf-8").lower()
    return f"{media.main_type}/{media.sub_type}".lower() == JSON_TYPE and charset in _UTF8


def takes_json(accept: str) -> bool:
    """Whether a client with the header ``accept`` takes JSON; an empty one means anything."""
    if not accept.strip():
        return True
    ranges = map(MediaType, accept.split(","))
    return any(media.quality > 0 and media.match(JSON_TYPE) for media in ranges)


TOO_LARGE = f"The message is larger than {ACTION_LIMIT} bytes, the most this endpoint accepts."
# All requests of a client have the same types.
accepts_json = lru_cache(maxsize=32)(takes_json)
contains_json = lru_cache(maxsize=32)(is_json)


@dataclass(frozen=True)
class McpRequest:
    """``headers`` have names in lower case; ``body`` ends after one byte too many.

    ``tool_limits`` are the values of each header for narrowing the tools.
    """

    method: str
    headers: dict[str, str]
    client_address: str
    query: str = ""
    body: bytes = b""
    tool_limits: tuple[str, ...] = ()

    def header(self, name: str) -> str:
        return self.headers.get(name, "")

    def message_body(self) -> bytes:
        """Return the body; raises UnsupportedMediaTypeError or TooLargeError."""
        if not contains_json(self.header("content-type")):
            raise UnsupportedMediaTypeError(
                f"The body must be sent as 'Content-Type: {JSON_TYPE}' in UTF-8."
            )
        if len(self.body) > ACTION_LIMIT:
            raise TooLargeError(TOO_LARGE)
        return self.body


def join_headers(scope: Scope) -> dict[str, str]:
    """Return the headers by name, repeated ones joined, since a proxy may use any of them."""
    joined: dict[str, str] = {}
    for raw_name, raw_value in scope["headers"]:
        name, value = raw_name.decode("latin-1"), raw_value.decode("latin-1")
        joined[name] = f"{joined[name]}, {value}" if name in joined else value
    return joined


def values_of_header(scope: Scope, name: str) -> tuple[str, ...]:
    """Return the value of each header with the name, in the order of the request."""
    wanted = name.lower().encode("latin-1")
    return tuple(value.decode("latin-1") for key, value in scope["headers"] if key == wanted)


async def receive_body(receive: Receive) -> bytes:
    """Return the body, of at most one byte more than the limit; raises ClientDisconnect."""
    parts: list[bytes] = []
    size = 0
    while size <= ACTION_LIMIT:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise ClientDisconnect
        parts.append(message.get("body", b""))
        size += len(parts[-1])
        if not message.get("more_body", False):
            break
    return b"".join(parts)


def identify_client(
    message: Mapping[str, Any], session: ClientIdentity, user_agent: str
) -> ClientIdentity:
    """Return the client named in the message, else in its ``session``, else by its user agent."""
    announced = _announced(message)
    if announced.name:
        return announced
    return session if session.name else _product(user_agent)


def _announced(message: Mapping[str, Any]) -> ClientIdentity:
    # Newer protocol versions name the client in each message, older ones only in the handshake.
    handshake = message.get("method") == "initialize"
    found: object = message.get("params")
    for key in ("clientInfo",) if handshake else ("_meta", CLIENT_MEMBER):
        found = found.get(key) if isinstance(found, dict) else None
    if not isinstance(found, dict):
        return ClientIdentity()
    names = [found.get("title"), found.get("name")]
    name = next(filter(None, (shown_name(name) for name in names if isinstance(name, str))), "")
    version = found.get("version")
    shown = shown_name(version)[:VERSION_LENGTH] if isinstance(version, str) else ""
    return ClientIdentity(name, shown)


def _product(user_agent: str) -> ClientIdentity:
    product = product_of(user_agent)
    is_named = product.name and product.name.lower() not in LIBRARIES
    return product if is_named else ClientIdentity(UNKNOWN)


def session_of(client: ClientIdentity) -> str:
    """Return the session id for a client."""
    return signing.dumps(list(client), salt=_SALT)


def client_in(session: str) -> ClientIdentity:
    """Return the client in a session id; empty for a foreign id, which does not end the session."""
    try:
        found = signing.loads(session, salt=_SALT)
    except signing.BadSignature:
        return ClientIdentity()
    return ClientIdentity(*found)


def allowed_hosts(public_url: str) -> frozenset[str]:
    """Return the values of Host for the service at ``public_url``, in lower case."""
    parts = urlsplit(public_url)
    # A local service can be reached by any of the machine's own names.
    names = LOOPBACK if _is_loopback(parts) else (_name(parts),)
    return frozenset(host for name in names for host in _with_port(name, parts))


def allowed_origins(public_url: str) -> frozenset[str]:
    """Return the values of Origin of the service's own pages."""
    scheme = urlsplit(public_url).scheme
    return frozenset(f"{scheme}://{host}" for host in allowed_hosts(public_url))


def _is_loopback(parts: SplitResult) -> bool:
    return _name(parts) in LOOPBACK


def _name(parts: SplitResult) -> str:
    name = parts.hostname or "localhost"
    return f"[{name}]" if ":" in name else name


def _with_port(name: str, parts: SplitResult) -> tuple[str, ...]:
    default = DEFAULT_PORTS.get(parts.scheme)
    if parts.port in {None, default}:
        return (name, f"{name}:{default}")
    return (f"{name}:{parts.port}",)


def build_challenge(public_url: str, error: str = "", description: str = "") -> str:
    """Return the value of ``WWW-Authenticate``; ``error`` is one of RFC 6750's, or empty."""
    parts = {
        "realm": REALM,
        "error": error,
        "error_description": description,
        # Requesting both leaves the choice to the person, on the consent page.
        "scope": " ".join(SCOPES),
        "resource_metadata": f"{public_url}/.well-known/oauth-protected-resource/api/mcp",
    }
    return "Bearer " + ", ".join(f'{name}="{value}"' for name, value in parts.items() if value)


def handle_message(
    caller: Caller,
    message: dict[str, Any],
    headers: Mapping[str, str],
    selection: ToolSelection = EVERYTHING,
) -> Response:
    """Handle ``message``; names of ``headers`` are in lower case."""
    request_id = message.get("id")
    try:
        version = version_of(message, headers)
    except ProtocolError as error:
        return error_message_response(error, request_id, with_status=True)
    if request_id is None:
        return accepted_response()
    method = message["method"]
    request = ProtocolRequest(caller, version, method, message.get("params", {}), selection)
    try:
        result = handle_request(request)
    except ProtocolError as error:
        return error_message_response(error, request_id, with_status=is_newer(version))
    if method == "initialize":
        client = ClientIdentity(caller.client, caller.client_version)
        return result_response(request_id, result, Mcp_Session_Id=session_of(client))
    return result_response(request_id, result)


class Threads(Protocol):
    """Threads with a database connection; each client has a share."""

    async def run(self, client: str, work: Callable[[], T]) -> T: ...


class McpEndpoint:
    """An ASGI application."""

    def __init__(self, public_url: str, threads: Threads) -> None:
        self._public_url = public_url
        self._hosts = allowed_hosts(public_url)
        self._origins = allowed_origins(public_url)
        self._threads = threads

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        client = scope.get("client")
        query = scope.get("query_string", b"").decode("latin-1")
        address = client[0] if client else ""
        limits = values_of_header(scope, TOOLS_HEADER)
        headers = join_headers(scope)
        request = McpRequest(scope["method"], headers, address, query, tool_limits=limits)
        response = self._check_request(request)
        if response is None:
            try:
                request = replace(request, body=await receive_body(receive))
            except ClientDisconnect:
                return
            response = await self._respond(request)
        await response(scope, receive, send)

    def _check_request(self, request: McpRequest) -> Response | None:
        """Return an error response for a request that no client of the service would send."""
        if request.header("host").lower() not in self._hosts:
            detail = f"This service is available at {self._public_url}/api/mcp only."
            return reject_request(HTTPStatus.MISDIRECTED_REQUEST, detail)
        # Programs send no Origin; browsers send the Origin of the page.
        if request.header("origin").lower() not in {"", *self._origins}:
            return reject_request(HTTPStatus.FORBIDDEN, OTHER_ORIGIN)
        if request.method != "POST":
            detail = f"{request.method} is not allowed here; every message is a POST."
            return reject_request(HTTPStatus.METHOD_NOT_ALLOWED, detail, Allow="POST")
        if not accepts_json(request.header("accept")):
            detail = f"Responses are {JSON_TYPE}; name that type in 'Accept'."
            return reject_request(HTTPStatus.NOT_ACCEPTABLE, detail)
        return None

    async def _respond(self, request: McpRequest) -> Response:
        # One thread handles the whole message: each change of threads costs as much as a query.
        client = client_network(request.client_address) if request.client_address else ""
        return await self._threads.run(client, partial(self._handle, request))

    def _handle(self, request: McpRequest) -> Response:
        try:
            caller = self._authenticate(request)
            selection = read_selection(request.query, request.tool_limits)
            message = read_message(request.message_body())
        except InvalidMessageError as error:
            return invalid_message_response(error)
        except UnauthenticatedError as error:
            return reject_with_error(error, WWW_Authenticate=self._challenge(request))
        except Exception as error:  # noqa: BLE001 - An endpoint always responds.
            return reject_with_error(error)
        return self._handle_message(request, caller, message, selection)

    def _handle_message(
        self, request: McpRequest, caller: Caller, message: Message, selection: ToolSelection
    ) -> Response:
        if _lacks_scope(caller, called_tool(message), selection):
            challenge = build_challenge(
                self._public_url, "insufficient_scope", "The app may only read."
            )
            return reject_request(HTTPStatus.FORBIDDEN, READ_ONLY, WWW_Authenticate=challenge)
        caller = _with_client(caller, message, request)
        return handle_message(caller, message, request.headers, selection)

    def _authenticate(self, request: McpRequest) -> Caller:
        """Return the caller; raises UnauthenticatedError or TooManyAttemptsError."""
        bearer = bearer_of({"Authorization": request.header("authorization")}, CREDENTIAL_INVALID)
        with _wrong_keys_limited(bearer, request.client_address):
            return caller_of_bearer(bearer)

    def _challenge(self, request: McpRequest) -> str:
        # RFC 6750, 3.1: no error code for a request without a credential.
        error = "invalid_token" if "authorization" in request.headers else ""
        return build_challenge(self._public_url, error)


def _wrong_keys_limited(bearer: str, address: str) -> AbstractContextManager[None]:
    # Only status 401 tells a client to renew its expired access token.
    if bearer.startswith(ACCESS_TOKEN):
        return nullcontext()
    return wrong_credentials_limited(address)


def _lacks_scope(caller: Caller, tool: str | None, selection: ToolSelection) -> bool:
    """Whether the person may use the tool, and the app only lacks the scope."""
    return bool(caller.withheld) and any(
        action.permission in caller.withheld
        for action in selection.actions()
        if action.name == tool
    )


def _with_client(caller: Caller, message: Message, request: McpRequest) -> Caller:
    session = request.header(SESSION_HEADER)
    begun = client_in(session) if session else ClientIdentity()
    client = identify_client(message, begun, request.header("user-agent"))
    # A connected app is named in its registration; a client with a key names itself.
    name = client.name if caller.grant_id is None else caller.client
    return replace(caller, client=name, client_version=client.version)
