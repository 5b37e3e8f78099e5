"""Enqueue the jobs of builds by name."""

from collections.abc import Iterable

from visual_review.kernel.queue import QueuedJob, enqueue, enqueue_jobs

PROCESS_BUILD = "process_build"
COMPARE_BUILD = "compare_build"
RENDER_THUMBNAILS = "render_thumbnails"
# By then, the job that completes the build has ended.
THUMBNAILS_DELAY_SECONDS = 1
# The builds of an organization are processed one after the other, not a slice of each.
CONTINUED = 1


def enqueue_processing(
    build_id: str, organization_id: str, *, priority: int = 0, delay_seconds: int = 0
) -> None:
    """Enqueue the processing of the build, unless its job is already waiting."""
    # The lock makes comparisons of the same build wait for the processing.
    enqueue(
        PROCESS_BUILD,
        lock=build_id,
        once=f"{PROCESS_BUILD}:{build_id}",
        priority=priority,
        delay_seconds=delay_seconds,
        build_id=build_id,
        organization_id=organization_id,
    )


def enqueue_comparison(build_id: str, organization_id: str, *, priority: int = 0) -> None:
    """Enqueue another comparison of a completed build."""
    enqueue_jobs([_comparison(build_id, organization_id, priority)])


def enqueue_comparisons(build_ids: Iterable[str], organization_id: str) -> None:
    """Enqueue another comparison of each of the completed builds, in one statement."""
    enqueue_jobs(_comparison(build_id, organization_id, 0) for build_id in build_ids)


def _comparison(build_id: str, organization_id: str, priority: int) -> QueuedJob:
    # The lock makes the job wait for a comparison of the same build in progress.
    return QueuedJob(
        COMPARE_BUILD,
        {"build_id": build_id, "organization_id": organization_id},
        lock=build_id,
        priority=priority,
    )


def enqueue_thumbnails(
    build_id: str,
    organization_id: str,
    *,
    delay_seconds: int = THUMBNAILS_DELAY_SECONDS,
    postponed: int = 0,
) -> None:
    """Enqueue the rendering of thumbnails, already ``postponed`` so often without progress."""
    enqueue(
        RENDER_THUMBNAILS,
        once=f"{RENDER_THUMBNAILS}:{build_id}",
        delay_seconds=delay_seconds,
        build_id=build_id,
        organization_id=organization_id,
        postponed=postponed,
    )
