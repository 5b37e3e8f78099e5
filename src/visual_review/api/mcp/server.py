"""The requests of the protocol, for a caller and a version that the endpoint determined."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from mcp_types import (
    INTERNAL_ERROR,
    INVALID_PARAMS,
    METHOD_NOT_FOUND,
    DiscoverResult,
    EmptyResult,
    Implementation,
    InitializeResult,
    ListResourcesResult,
    ListResourceTemplatesResult,
    ListToolsResult,
    ReadResourceResult,
    ResourcesCapability,
    ServerCapabilities,
    ToolsCapability,
)
from mcp_types.methods import CLIENT_REQUESTS, validate_client_request
from mcp_types.version import (
    HANDSHAKE_PROTOCOL_VERSIONS,
    LATEST_HANDSHAKE_VERSION,
    MODERN_PROTOCOL_VERSIONS,
)
from pydantic import BaseModel, ValidationError

from visual_review.accounts.callers import Caller
from visual_review.api.errors import describe_error
from visual_review.api.mcp.image_resources import read_image_resource, templates_of
from visual_review.api.mcp.image_tool import call_image_tool, image_tools_of, is_image_tool
from visual_review.api.mcp.instructions import INSTRUCTIONS
from visual_review.api.mcp.protocol_errors import ProtocolError
from visual_review.api.mcp.results import (
    SERVER_INFO,
    ToolResult,
    encode_result_of,
    encode_tool_result,
)
from visual_review.api.mcp.tool_calls import call_tool
from visual_review.api.mcp.tools import tools_of

# A role may change at any time, and with it the list.
LIST_SECONDS: Final = 60
# No notifications are sent.
CAPABILITIES: Final = ServerCapabilities(
    tools=ToolsCapability(list_changed=False),
    resources=ResourcesCapability(subscribe=False, list_changed=False),
)


@dataclass(frozen=True)
class ProtocolRequest:
    """A request of which the protocol version is known and the caller authenticated."""

    caller: Caller
    version: str
    method: str
    params: dict[str, Any]


Handler = Callable[[ProtocolRequest], BaseModel | ToolResult]


def handle_request(request: ProtocolRequest) -> bytes:
    """Return the result as JSON; raises ProtocolError, also for unexpected errors."""
    try:
        handler = _handler_of(request)
        _check_params(request)
        result = handler(request)
        if isinstance(result, ToolResult):
            return encode_tool_result(request.version, result)
        return encode_result_of(request.method, request.version, result)
    except ProtocolError:
        raise
    except Exception as error:
        raise ProtocolError(INTERNAL_ERROR, describe_error(error).detail) from error


def _handler_of(request: ProtocolRequest) -> Handler:
    handler = METHODS.get(request.method)
    # Versions differ in the methods they have.
    if handler is None or (request.method, request.version) not in CLIENT_REQUESTS:
        raise ProtocolError(METHOD_NOT_FOUND, "Method not found", request.method)
    return handler


def _check_params(request: ProtocolRequest) -> None:
    try:
        validate_client_request(request.method, request.version, request.params)
    except ValidationError as error:
        # Its message would show internals.
        raise ProtocolError(INVALID_PARAMS, "Invalid request parameters", "") from error


def _initialize(request: ProtocolRequest) -> BaseModel:
    wanted = request.params["protocolVersion"]
    known = wanted in HANDSHAKE_PROTOCOL_VERSIONS
    return InitializeResult(
        protocol_version=wanted if known else LATEST_HANDSHAKE_VERSION,
        capabilities=CAPABILITIES,
        server_info=Implementation(**SERVER_INFO),
        instructions=INSTRUCTIONS,
    )


def _discover(_request: ProtocolRequest) -> BaseModel:
    return DiscoverResult(
        supported_versions=list(MODERN_PROTOCOL_VERSIONS),
        capabilities=CAPABILITIES,
        instructions=INSTRUCTIONS,
    )


def _ping(_request: ProtocolRequest) -> BaseModel:
    return EmptyResult()


def _list_tools(request: ProtocolRequest) -> BaseModel:
    _reject_cursor(request)
    return ListToolsResult(
        tools=[*tools_of(request.caller), *image_tools_of(request.caller)],
        ttl_ms=LIST_SECONDS * 1000,
        cache_scope="private",
    )


def _call_tool(request: ProtocolRequest) -> ToolResult:
    name, arguments = request.params["name"], request.params.get("arguments") or {}
    if is_image_tool(name):
        return ToolResult(call_image_tool(request.caller, arguments))
    return call_tool(request.caller, name, arguments)


def _list_resources(request: ProtocolRequest) -> BaseModel:
    _reject_cursor(request)
    # There are as many as screenshots; the templates describe their URIs.
    return ListResourcesResult(resources=[])


def _list_templates(request: ProtocolRequest) -> BaseModel:
    _reject_cursor(request)
    return ListResourceTemplatesResult(
        resource_templates=templates_of(request.caller),
        ttl_ms=LIST_SECONDS * 1000,
        cache_scope="private",
    )


def _read_resource(request: ProtocolRequest) -> BaseModel:
    image = read_image_resource(request.caller, request.params["uri"], request.version)
    return ReadResourceResult(contents=[image])


def _reject_cursor(request: ProtocolRequest) -> None:
    if request.params.get("cursor"):
        raise ProtocolError(INVALID_PARAMS, "This list has one page. Request it without a cursor.")


METHODS: Final[dict[str, Handler]] = {
    "initialize": _initialize,
    "server/discover": _discover,
    "ping": _ping,
    "tools/list": _list_tools,
    "tools/call": _call_tool,
    "resources/list": _list_resources,
    "resources/templates/list": _list_templates,
    "resources/read": _read_resource,
}
