"""Compares an undecided build again after its product's dynamic regions changed."""

from functools import partial

from procrastinate import RetryStrategy
from procrastinate.contrib.django import app

from visual_review.builds.comparing.complete import can_be_recompared, complete_recomparison
from visual_review.builds.comparing.measure import remeasure_build
from visual_review.builds.job_queue import COMPARE_BUILD, CONTINUED, enqueue_comparison
from visual_review.builds.models import Build
from visual_review.builds.time_slices import TimeSlice, TimeSliceEndedError
from visual_review.jobs.turns import others_wait

# The last attempt is a day later; meanwhile the build shows its earlier comparison.
RETRY = RetryStrategy(max_attempts=10, exponential_wait=3)


@app.task(name=COMPARE_BUILD, queue="builds", retry=RETRY)
def compare_build(build_id: str, organization_id: str = "") -> None:  # noqa: ARG001 - The queue reads it: organizations take turns.
    build = Build.objects.select_related("repository", "product").filter(pk=build_id).first()
    if build is not None and can_be_recompared(build):
        try:
            measurement = remeasure_build(build, TimeSlice(partial(others_wait, "builds")).check)
        except TimeSliceEndedError:
            enqueue_comparison(build_id, build.repository.organization_id, priority=CONTINUED)
        else:
            complete_recomparison(build_id, measurement)
