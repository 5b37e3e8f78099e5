"""Compares an undecided build again after its product's dynamic regions changed."""

from procrastinate import RetryStrategy
from procrastinate.contrib.django import app

from visual_review.builds.comparing.complete import can_be_recompared, complete_recomparison
from visual_review.builds.comparing.measure import remeasure_build
from visual_review.builds.comparing.recompare import COMPARE_BUILD
from visual_review.builds.models import Build

# The last attempt is a day later; until then the build shows its earlier comparison.
RETRY = RetryStrategy(max_attempts=10, exponential_wait=3)


@app.task(name=COMPARE_BUILD, queue="builds", retry=RETRY)
def compare_build(build_id: str) -> None:
    build = Build.objects.select_related("repository", "product").filter(pk=build_id).first()
    if build is not None and can_be_recompared(build):
        complete_recomparison(build_id, remeasure_build(build))
