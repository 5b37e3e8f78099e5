"""The published actions, one file each, in the order of the interface."""

from typing import Any

from visual_review.actions.action import Action
from visual_review.actions.published import (
    approve_all_screenshots,
    approve_build,
    approve_story_screenshots,
    get_build,
    list_builds,
    list_repos,
    reject_build,
    review_screenshot,
)

PUBLISHED: tuple[Action[Any, Any], ...] = (
    list_repos.ACTION,
    list_builds.ACTION,
    get_build.ACTION,
    approve_build.ACTION,
    reject_build.ACTION,
    review_screenshot.ACTION,
    approve_all_screenshots.ACTION,
    approve_story_screenshots.ACTION,
)
