"""The tools to continue with."""

from collections.abc import Iterator
from typing import Final

from visual_review.api.mcp.image_resources import TEMPLATE
from visual_review.api.mcp.tool_selection import ToolSelection
from visual_review.builds.states import COMPLETED

DECIDE: Final = (
    "then decide with review_screenshot, approve_story_screenshots (a story), or approve_build or "
    "reject_build (all at once)."
)
DECIDE_ALL: Final = (
    "Next: list_changes gives numbers, get_images shows many of them at once, review_changes "
    "decides all of them in one call."
)
LOOK_AT_ALL: Final = (
    "list_changes gives numbers, get_images shows many of them at once. You may look, but not "
    "decide."
)


def describe_rest(selection: ToolSelection, *, has_open: bool) -> str:
    """Return where to find the data left out in a result of get_build."""
    everything = "The linked resource has everything, in parts; so have REST and the build's page."
    if selection.offers_extension("review"):
        return f"list_changes lists every change. {everything}"
    if has_open:
        return (
            f"What is undecided comes first: decide it, and get_build lists the next. {everything}"
        )
    return everything


def next_steps(status: str, selection: ToolSelection, *, may_review: bool) -> Iterator[str]:
    """Describe a caller's options for undecided screenshots."""
    if status != COMPLETED:
        return
    if selection.offers_extension("review"):
        yield DECIDE_ALL if may_review else LOOK_AT_ALL
        return
    look = f"the resources {TEMPLATE}"
    if may_review:
        yield f"Next: look at the images ({look}), {DECIDE}"
    else:
        yield f"{look} shows the images. You may look, but not decide."
