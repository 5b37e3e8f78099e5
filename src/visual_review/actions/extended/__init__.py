"""The extension actions, one file each; a setting leaves only the published ones."""

from typing import Any

from visual_review.actions.action import Action
from visual_review.actions.extended import (
    comment,
    find_builds,
    get_decisions,
    get_history,
    get_images,
    list_changes,
    request_review,
    review_changes,
)

# In the order of a review: find a build, list its changes, look at them, decide, read back, reply.
EXTENDED: tuple[Action[Any, Any], ...] = (
    find_builds.ACTION,
    list_changes.ACTION,
    get_images.ACTION,
    review_changes.ACTION,
    get_decisions.ACTION,
    get_history.ACTION,
    comment.ACTION,
    request_review.ACTION,
)
