"""The published actions, one file each, in the order of the interface."""

from typing import Any

from visual_review.actions.action import Action
from visual_review.actions.published import (
    approve_all_screenshots,
    approve_build,
    approve_story_screenshots,
    connect_repo,
    delete_recording,
    disable_recordings,
    enable_recordings,
    get_build,
    get_recording,
    list_builds,
    list_host_repos,
    list_recordings,
    list_repos,
    reject_build,
    remove_repo,
    review_screenshot,
    rotate_repo_token,
    set_dynamic_regions,
    set_org_capture,
    set_repo_capture,
)

PUBLISHED: tuple[Action[Any, Any], ...] = (
    list_repos.ACTION,
    list_host_repos.ACTION,
    list_builds.ACTION,
    get_build.ACTION,
    connect_repo.ACTION,
    rotate_repo_token.ACTION,
    remove_repo.ACTION,
    set_repo_capture.ACTION,
    set_org_capture.ACTION,
    approve_build.ACTION,
    reject_build.ACTION,
    review_screenshot.ACTION,
    approve_all_screenshots.ACTION,
    approve_story_screenshots.ACTION,
    enable_recordings.ACTION,
    disable_recordings.ACTION,
    list_recordings.ACTION,
    get_recording.ACTION,
    delete_recording.ACTION,
    set_dynamic_regions.ACTION,
)
