"""``get_screenshot_images``: a screenshot's composite as an image the model sees.

The name that ``get_images`` had before it showed several screenshots; it stays for one release.
"""

from base64 import b64encode
from collections.abc import Mapping
from typing import Any, Final

from visual_review.accounts.callers import Caller
from visual_review.accounts.permissions import BUILDS_VIEW
from visual_review.actions.dispatch import validate_as
from visual_review.actions.schema import ActionInput
from visual_review.actions.viewers import record_view
from visual_review.actions.wrong_ids import explain_wrong_id
from visual_review.api.errors import describe_error
from visual_review.api.mcp.protocol import INVALID_PARAMS, ProtocolError
from visual_review.api.mcp.quoting import quote_name
from visual_review.api.mcp.results import ToolResult, error_result, text_block
from visual_review.api.mcp.tool_selection import EVERYTHING, ToolSelection
from visual_review.builds.images.composites import read_image
from visual_review.builds.queries import screenshot_of
from visual_review.builds.urls import build_page
from visual_review.kernel.errors import ForbiddenError, NotFoundError

IMAGE_TOOL: Final = "get_screenshot_images"
DESCRIPTION: Final = (
    "Shows a screenshot: before, after and difference side by side, cropped to the "
    "change. Look at it before you decide. Ids come from get_build."
)


class Input(ActionInput):
    screenshot_id: str


TOOL: Final[dict[str, Any]] = {
    "name": IMAGE_TOOL,
    "title": "Look at a screenshot",
    "description": DESCRIPTION,
    "inputSchema": {
        "type": "object",
        "properties": {"screenshotId": {"type": "string"}},
        "required": ["screenshotId"],
        "additionalProperties": False,
    },
    "annotations": {"readOnlyHint": True, "openWorldHint": False},
}


def is_image_tool(name: str) -> bool:
    """Whether ``name`` is that of this tool, and the service has it."""
    return name == IMAGE_TOOL and EVERYTHING.offers_extension("review")


def image_tools_of(caller: Caller, selection: ToolSelection) -> list[dict[str, Any]]:
    offered = selection.offers_extension("review") and caller.may(BUILDS_VIEW)
    return [TOOL] if offered else []


def call_image_tool(
    caller: Caller, arguments: Mapping[str, Any], selection: ToolSelection
) -> ToolResult:
    """Return the composite as an image block with text, without structured content.

    Raises ProtocolError where the connection does not offer the tool.
    """
    if not selection.offers_extension("review"):
        raise ProtocolError(INVALID_PARAMS, selection.describe_unavailable(IMAGE_TOOL))
    try:
        return _show(caller, arguments)
    except Exception as error:  # noqa: BLE001 - An endpoint always responds.
        return error_result(describe_error(error))


def _show(caller: Caller, arguments: Mapping[str, Any]) -> ToolResult:
    if not caller.may(BUILDS_VIEW):
        raise ForbiddenError(f"'{IMAGE_TOOL}' needs the permission '{BUILDS_VIEW}'.")
    values = validate_as(Input, arguments, f"the input of '{IMAGE_TOOL}'")
    try:
        shot = screenshot_of(caller.organization_id, values.screenshot_id)
    except NotFoundError as error:
        raise explain_wrong_id(arguments, error) from error
    rendered = read_image(shot, "composite")
    record_view(caller, shot, "composite", rendered)
    decision = shot.review_decision or "not decided yet"
    text = (
        f"{shot.id}: story {quote_name(shot.story_id)}, {shot.theme} {shot.device}, "
        f"{shot.diff_state}, {decision}. {rendered.note} Page: {build_page(shot.build)}"
    )
    image = b64encode(rendered.data).decode()
    shown = {"type": "image", "data": image, "mimeType": rendered.media_type}
    return ToolResult([text_block(text), shown])
