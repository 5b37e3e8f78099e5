"""Deletes the rows of a deleted branch's baseline."""

from procrastinate import RetryStrategy
from procrastinate.contrib.django import app

from visual_review.builds.retention.baselines import DELETE_BASELINE, delete_detached_baseline

RETRY = RetryStrategy(max_attempts=12, exponential_wait=3)


@app.task(name=DELETE_BASELINE, queue="cleaning", retry=RETRY)
def delete_baseline(organization_id: str, baseline_id: str) -> None:
    delete_detached_baseline(organization_id, baseline_id)
