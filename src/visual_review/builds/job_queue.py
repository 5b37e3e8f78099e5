"""Enqueues the jobs of builds by name."""

from visual_review.kernel.queue import enqueue

PROCESS_BUILD = "process_build"


def enqueue_processing(build_id: str) -> None:
    """Have the build processed; a job of it that waits already is enough."""
    # The lock keeps comparisons of the same build behind it.
    enqueue(PROCESS_BUILD, lock=build_id, once=f"{PROCESS_BUILD}:{build_id}", build_id=build_id)
