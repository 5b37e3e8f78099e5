"""Events of builds and comments, for the channels of their organization."""

from collections.abc import Mapping
from typing import Any, Final

from visual_review.builds.deciders import name_person
from visual_review.builds.images.public_links import create_shared_link
from visual_review.builds.models import Build, Comment, Screenshot
from visual_review.builds.reviewers import AskedReviewers, requested_ids, reviewers_of
from visual_review.builds.states import CHANGED, UNREVIEWED
from visual_review.builds.urls import build_page
from visual_review.builds.waiting_builds import rows_to_review
from visual_review.messages.event_types import (
    BUILD_DECIDED,
    BUILD_NEEDS_REVIEW,
    CAPTURE_UNSTABLE,
    COMMENT_CREATED,
    MENTIONED,
    REVIEW_REQUESTED,
)
from visual_review.messages.events import publish_event

MOST_IMAGES: Final = 3


def publish_completed(build: Build) -> None:
    """Publish that a compared build needs a review, and that screenshots were unstable."""
    unstable = Screenshot.objects.filter(build=build).exclude(unstable="").count()
    if build.review_state == UNREVIEWED:
        people = dict.fromkeys(requested_ids(build), BUILD_NEEDS_REVIEW)
        _publish(BUILD_NEEDS_REVIEW, build, people=people)
    if unstable:
        _publish(CAPTURE_UNSTABLE, build, {"unstableScreenshots": unstable})


def publish_requested(build: Build, found: AskedReviewers, by: str) -> None:
    """Publish that members are asked to review the build."""
    more = {"asked": list(found.asked.values()), "requestedBy": by}
    _publish(REVIEW_REQUESTED, build, more, dict.fromkeys(found.asked, REVIEW_REQUESTED))


def publish_decided(build: Build) -> None:
    """Publish that a build is approved or rejected now."""
    people = dict.fromkeys(requested_ids(build), BUILD_DECIDED)
    people.pop(build.decided_by_id or "", None)
    _publish(BUILD_DECIDED, build, people=people)


def publish_comment(build: Build, comment: Comment, mentioned: Mapping[str, str]) -> None:
    """Publish a new comment of a thread shown in the build.

    ``mentioned`` are the names of members, by their ids.
    """
    thread = comment.thread
    written = {
        "id": comment.pk,
        "threadId": thread.pk,
        "by": name_person(comment.author_name),
        "client": comment.client or None,
        "text": comment.text,
        "mentioned": list(mentioned.values()),
        "storyId": thread.story_id,
        "theme": thread.theme,
        "device": thread.device,
    }
    authors = thread.comments.values_list("author_id", flat=True).distinct().order_by()
    people = dict.fromkeys(authors, COMMENT_CREATED) | dict.fromkeys(mentioned, MENTIONED)
    people.pop(comment.author_id, None)
    _publish(COMMENT_CREATED, build, {"comment": written}, people)


def _publish(
    kind: str,
    build: Build,
    more: Mapping[str, Any] | None = None,
    people: Mapping[str, str] | None = None,
) -> None:
    organization_id = build.repository.organization_id
    publish_event(
        kind, organization_id, build.pk, lambda: {**_describe(build), **(more or {})}, people
    )


def _describe(build: Build) -> dict[str, Any]:
    """Return the common facts of every event about its build, in the current state."""
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
    """Return links to the worst changes, usable without a sign-in until they expire."""
    shots = rows_to_review(build).filter(diff_state=CHANGED)[:MOST_IMAGES]
    return [
        {
            "name": f"{shot.story_id}, {shot.theme}, {shot.device}",
            "url": create_shared_link(shot.pk),
        }
        for shot in shots
    ]
