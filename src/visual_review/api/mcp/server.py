"""The protocol library's server with our tools."""

from importlib.metadata import version
from typing import Any, Final

from django.conf import settings
from mcp import MCPError
from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
from mcp.server.lowlevel import Server
from mcp_types import (
    INTERNAL_ERROR,
    INVALID_PARAMS,
    CallToolRequestParams,
    CallToolResult,
    ListResourcesResult,
    ListResourceTemplatesResult,
    ListToolsResult,
    PaginatedRequestParams,
    ReadResourceRequestParams,
    ReadResourceResult,
)
from pydantic import ValidationError
from starlette.requests import Request

from visual_review.accounts.callers import Caller
from visual_review.api.errors import describe_error
from visual_review.api.mcp.image_resources import read_image_resource, templates_of
from visual_review.api.mcp.image_tool import IMAGE_TOOL, call_image_tool, image_tools_of
from visual_review.api.mcp.instructions import INSTRUCTIONS
from visual_review.api.mcp.tool_calls import call_tool
from visual_review.api.mcp.tools import schema_of, tools_of
from visual_review.kernel.database_threads import DatabaseThreads

# Where the endpoint stores the caller for the handlers.
CALLER: Final = "visual_review.caller"
# A role may change at any time, and with it the list.
LIST_SECONDS: Final = 60

Context = ServerRequestContext[Any, Request]


class Handlers:
    """Handles the protocol's requests for the caller that the endpoint authenticated."""

    def __init__(self, threads: DatabaseThreads, rendering_threads: DatabaseThreads) -> None:
        self._threads = threads
        self._drawing = rendering_threads

    async def list_tools(
        self, context: Context, params: PaginatedRequestParams | None
    ) -> ListToolsResult:
        _reject_cursor(params)
        caller = caller_of(context)
        return ListToolsResult(
            tools=[*tools_of(caller), *image_tools_of(caller)],
            ttl_ms=LIST_SECONDS * 1000,
            cache_scope="private",
        )

    async def call_tool(self, context: Context, params: CallToolRequestParams) -> CallToolResult:
        caller, arguments = caller_of(context), params.arguments or {}
        if settings.MCP_IMAGE_TOOL and params.name == IMAGE_TOOL:
            return await self._drawing.run(call_image_tool, caller, arguments)
        return await self._threads.run(call_tool, caller, params.name, arguments)

    async def list_resources(
        self, _context: Context, params: PaginatedRequestParams | None
    ) -> ListResourcesResult:
        _reject_cursor(params)
        # There are as many as screenshots; the templates describe their URIs.
        return ListResourcesResult(resources=[])

    async def list_templates(
        self, context: Context, params: PaginatedRequestParams | None
    ) -> ListResourceTemplatesResult:
        _reject_cursor(params)
        return ListResourceTemplatesResult(
            resource_templates=templates_of(caller_of(context)),
            ttl_ms=LIST_SECONDS * 1000,
            cache_scope="private",
        )

    async def read_resource(
        self, context: Context, params: ReadResourceRequestParams
    ) -> ReadResourceResult:
        image = await self._drawing.run(
            read_image_resource, caller_of(context), params.uri, context.protocol_version
        )
        return ReadResourceResult(contents=[image])


def _reject_cursor(params: PaginatedRequestParams | None) -> None:
    if params is not None and params.cursor:
        raise MCPError(INVALID_PARAMS, "This list has one page. Request it without a cursor.")


def caller_of(context: Context) -> Caller:
    """Return the caller that the endpoint stored in the scope of this request."""
    caller = context.request.scope[CALLER] if context.request else None
    if not isinstance(caller, Caller):
        raise TypeError("The endpoint stored no caller in the scope.")
    return caller


def make_server(threads: DatabaseThreads, rendering_threads: DatabaseThreads) -> Server[Any]:
    handlers = Handlers(threads, rendering_threads)
    server: Server[Any] = Server(
        "visual-review",
        title="Visual Review",
        version=version("visual-review"),
        instructions=INSTRUCTIONS,
        get_tool_input_schema=schema_of,
        on_list_tools=handlers.list_tools,
        on_call_tool=handlers.call_tool,
        on_list_resources=handlers.list_resources,
        on_list_resource_templates=handlers.list_templates,
        on_read_resource=handlers.read_resource,
    )
    # Replaces the library's tracing, which is not collected here.
    server.middleware[:] = [_handle_unexpected_errors]
    return server


async def _handle_unexpected_errors(
    ctx: ServerRequestContext[Any, Any], call_next: CallNext
) -> HandlerResult:
    """Return our own message; older protocol versions would return the exception's."""
    try:
        return await call_next(ctx)
    except (MCPError, ValidationError):
        raise
    except Exception as error:  # noqa: BLE001 - An endpoint always responds.
        raise MCPError(INTERNAL_ERROR, describe_error(error).detail) from None
