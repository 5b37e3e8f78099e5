"""Events of builds and comments, for the channels of their organization."""

from typing import Any, Final

from visual_review.builds.deciders import name_person
from visual_review.builds.images.public_links import create_shared_link
from visual_review.builds.models import Build, Comment, Screenshot
from visual_review.builds.reviewers import reviewers_of
from visual_review.builds.states import CHANGED, UNREVIEWED
from visual_review.builds.to_review import rows_to_review
from visual_review.builds.urls import build_page
from visual_review.messages.events import (
    BUILD_DECIDED,
    BUILD_NEEDS_REVIEW,
    CAPTURE_UNSTABLE,
    COMMENT_CREATED,
    REVIEW_REQUESTED,
    has_channels,
    publish_event,
)

MOST_IMAGES: Final = 3


def publish_completed(build: Build) -> None:
    """Publish that a compared build needs a review, and that screenshots were unstable."""
    organization_id = build.repository.organization_id
    if not has_channels(organization_id):
        return
    unstable = Screenshot.objects.filter(build=build).exclude(unstable="").count()
    if build.review_state == UNREVIEWED:
        publish_event(BUILD_NEEDS_REVIEW, organization_id, build.pk, _describe(build))
    if unstable:
        data = {**_describe(build), "unstableScreenshots": unstable}
        publish_event(CAPTURE_UNSTABLE, organization_id, build.pk, data)


def publish_requested(build: Build, asked: list[str], by: str) -> None:
    """Publish that members are asked to review the build."""
    organization_id = build.repository.organization_id
    if has_channels(organization_id):
        data = {**_describe(build), "asked": asked, "requestedBy": by}
        publish_event(REVIEW_REQUESTED, organization_id, build.pk, data)


def publish_decided(build: Build) -> None:
    """Publish that a build is approved or rejected now."""
    organization_id = build.repository.organization_id
    if has_channels(organization_id):
        publish_event(BUILD_DECIDED, organization_id, build.pk, _describe(build))


def publish_comment(build: Build, comment: Comment, mentioned: list[str]) -> None:
    """Publish a new comment of a thread that the build shows."""
    organization_id = build.repository.organization_id
    if not has_channels(organization_id):
        return
    thread = comment.thread
    written = {
        "id": comment.pk,
        "threadId": thread.pk,
        "by": name_person(comment.author_name),
        "client": comment.client or None,
        "text": comment.text,
        "mentioned": mentioned,
        "storyId": thread.story_id,
        "theme": thread.theme,
        "device": thread.device,
    }
    data = {**_describe(build), "comment": written}
    publish_event(COMMENT_CREATED, organization_id, build.pk, data)


def _describe(build: Build) -> dict[str, Any]:
    """Return what every event says about its build, which is as it is now."""
    repository = build.repository
    return {
        "buildId": build.pk,
        "number": build.number,
        "url": build_page(build),
        "repository": {"id": repository.pk, "name": repository.full_name},
        "productKey": build.product.key,
        "branch": build.branch,
        "headRepository": build.head_repository or None,
        "commit": build.commit,
        "pullRequest": build.pull_request,
        "reviewState": build.review_state,
        "reviewers": [each.name for each in reviewers_of(build)],
        "decidedBy": name_person(build.decided_by_name) if build.decided_at else None,
        "counts": {
            "changed": build.changed_count,
            "new": build.new_count,
            "removed": build.removed_count,
            "failed": build.failed_count,
        },
        "images": _images(build) if repository.comment_pictures else [],
    }


def _images(build: Build) -> list[dict[str, str]]:
    """Return links to the worst changes, which need no sign-in until they expire."""
    shots = rows_to_review(build).filter(diff_state=CHANGED)[:MOST_IMAGES]
    return [
        {
            "name": f"{shot.story_id}, {shot.theme}, {shot.device}",
            "url": create_shared_link(shot.pk),
        }
        for shot in shots
    ]
