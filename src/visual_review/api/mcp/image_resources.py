"""Images as resources: ``visual-review://screenshots/{screenshotId}/{side}``."""

import re
from base64 import b64encode
from collections.abc import Mapping
from typing import Any, Final, get_args

from visual_review.accounts.callers import Caller
from visual_review.accounts.oauth.client_rules import shown_name
from visual_review.accounts.permissions import BUILDS_VIEW
from visual_review.actions.decision_results import DecidedResult
from visual_review.actions.published.get_build import Result as BuildResult
from visual_review.actions.schema import ActionResult
from visual_review.actions.viewers import record_view
from visual_review.api.mcp.protocol import (
    INVALID_PARAMS,
    ProtocolError,
    resource_error,
)
from visual_review.builds.images.composites import Side, read_image
from visual_review.builds.queries import screenshot_of
from visual_review.kernel.errors import NotFoundError

TEMPLATE: Final = "visual-review://screenshots/{screenshotId}/{side}"
MAX_LINKS: Final = 6
NAME_LENGTH: Final = 80
IMAGE_SIDES: Final = frozenset({"changed", "new", "removed"})
JsonObject = dict[str, Any]
_SIDES: Final[tuple[Side, ...]] = get_args(Side)
_URI: Final = re.compile(r"visual-review://screenshots/(?P<id>[A-Za-z0-9_]{1,60})/(?P<side>\w+)")


def templates_of(caller: Caller) -> list[JsonObject]:
    if not caller.may(BUILDS_VIEW):
        return []
    return [
        {
            "name": "screenshot-picture",
            "title": "An image of a screenshot",
            "uriTemplate": TEMPLATE,
            "description": "side is 'composite' (before, after and difference side by side, "
            "cropped to the change), 'before', 'after' or 'diff'. Ids come from get_build.",
        }
    ]


def read_image_resource(caller: Caller, uri: str, version: str) -> JsonObject:
    """Return the image at ``uri``; raises ProtocolError with the code of the protocol version."""
    found = _URI.fullmatch(uri)
    side = next((side for side in _SIDES if found and side == found["side"]), None)
    if found is None or side is None:
        message = f"There is no resource '{uri[:200]}'. Images are at {TEMPLATE}."
        raise resource_error(message, uri, version)
    if not caller.may(BUILDS_VIEW):
        raise ProtocolError(INVALID_PARAMS, f"Reading images needs the permission '{BUILDS_VIEW}'.")
    try:
        shot = screenshot_of(caller.organization_id, found["id"])
        image = read_image(shot, side)
    except NotFoundError as error:
        raise resource_error(str(error), uri, version) from error
    record_view(caller, shot, side, image)
    return {
        "uri": uri,
        "mimeType": image.media_type,
        "blob": b64encode(image.data).decode(),
        "_meta": {"note": image.note, "width": image.width, "height": image.height},
    }


def uri_of(screenshot_id: str, side: Side = "composite") -> str:
    return f"visual-review://screenshots/{screenshot_id}/{side}"


def links_for(result: ActionResult, arguments: Mapping[str, Any]) -> list[JsonObject]:
    """Return links to the composites of undecided screenshots, or of the one just reviewed."""
    if isinstance(result, BuildResult):
        # One per story: its variants usually have the same changes.
        stories: dict[str, JsonObject] = {}
        for shot in result.build.screenshots:
            if shot.diff_state in IMAGE_SIDES and shot.review_decision is None:
                name = f"{shot.story_id} {shot.variant.theme} {shot.variant.device}"
                stories.setdefault(shot.story_id, _link(shot.id, name))
            if len(stories) == MAX_LINKS:
                break
        return list(stories.values())
    reviewed = arguments.get("screenshotId")
    if isinstance(result, DecidedResult) and isinstance(reviewed, str):
        return [_link(reviewed, "the screenshot that was reviewed")]
    return []


def _link(screenshot_id: str, name: str) -> JsonObject:
    # Truncated in bytes, because links count toward the token limit of a result.
    brief = shown_name(name).encode()[:NAME_LENGTH].decode(errors="ignore")
    return {"type": "resource_link", "uri": uri_of(screenshot_id), "name": brief}
