"""One message of an authenticated caller: a request gets a result or an error."""

from collections.abc import Mapping
from typing import Any

from starlette.responses import Response

from visual_review.accounts.callers import Caller
from visual_review.api.mcp.protocol import ProtocolError, is_newer
from visual_review.api.mcp.responses import (
    accepted_response,
    error_message_response,
    result_response,
)
from visual_review.api.mcp.server import ProtocolRequest, handle_request
from visual_review.api.mcp.sessions import session_of
from visual_review.api.mcp.tool_selection import EVERYTHING, ToolSelection
from visual_review.api.mcp.versions import version_of
from visual_review.api.user_agents import ClientIdentity


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
