"""The tools to continue with."""

from collections.abc import Iterator

from django.conf import settings

from visual_review.api.mcp.image_resources import TEMPLATE
from visual_review.api.mcp.image_tool import IMAGE_TOOL
from visual_review.builds.states import COMPLETED

DECIDE = (
    "then decide with review_screenshot, approve_story_screenshots (a story), or approve_build or "
    "reject_build (all at once)."
)


def next_steps(status: str, *, may_review: bool) -> Iterator[str]:
    """Describe what a caller can do about undecided screenshots."""
    if status != COMPLETED:
        return
    look = IMAGE_TOOL if settings.EXTENSIONS else f"the resources {TEMPLATE}"
    if may_review:
        yield f"Next: look at the images ({look}), {DECIDE}"
    else:
        yield f"{look} shows the images. You may look, but not decide."
