"""The protocol library's server, filled with our tools."""

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
from visual_review.api.errors import explain
from visual_review.api.mcp.database_threads import DatabaseThreads
from visual_review.api.mcp.image_resources import read_image_resource, templates_of
from visual_review.api.mcp.image_tool import IMAGE_TOOL, call_image_tool, image_tools_of
from visual_review.api.mcp.instructions import INSTRUCTIONS
from visual_review.api.mcp.tool_calls import call_tool
from visual_review.api.mcp.tools import schema_of, tools_of

# Where the door leaves the caller for the handlers.
CALLER: Final = "visual_review.caller"
# A role may change at any time, and with it the list.
LIST_SECONDS: Final = 60

Context = ServerRequestContext[Any, Request]


class Handlers:
    """What the protocol's requests do; each has the caller that the door found."""

    def __init__(self, threads: DatabaseThreads, drawing: DatabaseThreads) -> None:
        self._threads = threads
        self._drawing = drawing

    async def list_tools(
        self, context: Context, params: PaginatedRequestParams | None
    ) -> ListToolsResult:
        _refuse_cursor(params)
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
        _refuse_cursor(params)
        # There are as many as screenshots; the templates say how to name them.
        return ListResourcesResult(resources=[])

    async def list_templates(
        self, context: Context, params: PaginatedRequestParams | None
    ) -> ListResourceTemplatesResult:
        _refuse_cursor(params)
        return ListResourceTemplatesResult(
            resource_templates=templates_of(caller_of(context)),
            ttl_ms=LIST_SECONDS * 1000,
            cache_scope="private",
        )

    async def read_resource(
        self, context: Context, params: ReadResourceRequestParams
    ) -> ReadResourceResult:
        picture = await self._drawing.run(
            read_image_resource, caller_of(context), params.uri, context.protocol_version
        )
        return ReadResourceResult(contents=[picture])


def _refuse_cursor(params: PaginatedRequestParams | None) -> None:
    if params is not None and params.cursor:
        raise MCPError(INVALID_PARAMS, "This list has one page. Ask for it without a cursor.")


def caller_of(context: Context) -> Caller:
    """The caller that the door left in the scope of this request."""
    caller = context.request.scope[CALLER] if context.request else None
    if not isinstance(caller, Caller):
        raise TypeError("The door lets nobody in without a caller.")
    return caller


def make_server(threads: DatabaseThreads, drawing: DatabaseThreads) -> Server[Any]:
    handlers = Handlers(threads, drawing)
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
    # In place of the library's tracing, which nothing here collects.
    server.middleware[:] = [_as_error_result]
    return server


async def _as_error_result(
    ctx: ServerRequestContext[Any, Any], call_next: CallNext
) -> HandlerResult:
    """Answer what nobody expected in our own words; the older era would tell the exception's."""
    try:
        return await call_next(ctx)
    except (MCPError, ValidationError):
        raise
    except Exception as error:  # noqa: BLE001 - A door answers, whatever happened behind it.
        raise MCPError(INTERNAL_ERROR, explain(error).detail) from None
