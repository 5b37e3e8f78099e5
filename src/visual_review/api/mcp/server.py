"""The protocol library's server, filled with our tools."""

from importlib.metadata import version
from typing import Any, Final

from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp_types import (
    CallToolRequestParams,
    CallToolResult,
    ListToolsResult,
    PaginatedRequestParams,
)
from starlette.requests import Request

from visual_review.accounts.callers import Caller
from visual_review.api.mcp.calls import call_tool
from visual_review.api.mcp.instructions import INSTRUCTIONS
from visual_review.api.mcp.threads import DatabaseThreads
from visual_review.api.mcp.tools import schema_of, tools_of

# Where the door leaves the caller for the handlers.
CALLER: Final = "visual_review.caller"
# A role may change at any time, and with it the list.
LIST_SECONDS: Final = 60

Context = ServerRequestContext[Any, Request]


class Handlers:
    """What the protocol's requests do; each has the caller that the door found."""

    def __init__(self, threads: DatabaseThreads) -> None:
        self._threads = threads

    async def list_tools(
        self, context: Context, _params: PaginatedRequestParams | None
    ) -> ListToolsResult:
        return ListToolsResult(
            tools=tools_of(caller_of(context)),
            ttl_ms=LIST_SECONDS * 1000,
            cache_scope="private",
        )

    async def call_tool(self, context: Context, params: CallToolRequestParams) -> CallToolResult:
        caller = caller_of(context)
        return await self._threads.run(call_tool, caller, params.name, params.arguments or {})


def caller_of(context: Context) -> Caller:
    """The caller that the door left in the scope of this request."""
    caller = context.request.scope[CALLER] if context.request else None
    if not isinstance(caller, Caller):
        raise TypeError("The door lets nobody in without a caller.")
    return caller


def make_server(threads: DatabaseThreads) -> Server[Any]:
    handlers = Handlers(threads)
    server: Server[Any] = Server(
        "visual-review",
        title="Visual Review",
        version=version("visual-review"),
        instructions=INSTRUCTIONS,
        get_tool_input_schema=schema_of,
        on_list_tools=handlers.list_tools,
        on_call_tool=handlers.call_tool,
    )
    # Nothing here collects traces, and each would cost time in every call.
    server.middleware.clear()
    return server
