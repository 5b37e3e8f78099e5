"""Enqueue the jobs of builds by name."""

from visual_review.kernel.queue import enqueue

PROCESS_BUILD = "process_build"


def enqueue_processing(build_id: str) -> None:
    """Enqueue the processing of the build, unless its job is already waiting."""
    # The lock makes comparisons of the same build wait for it.
    enqueue(PROCESS_BUILD, lock=build_id, once=f"{PROCESS_BUILD}:{build_id}", build_id=build_id)
