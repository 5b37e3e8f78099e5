"""Renders the thumbnails of a compared build while no build is being processed."""

from dataclasses import dataclass, field
from functools import partial
from typing import Final

from procrastinate import RetryStrategy
from procrastinate.contrib.django import app

from visual_review.builds.images.thumbnails import render_missing_thumbnails
from visual_review.builds.job_queue import RENDER_THUMBNAILS, enqueue_thumbnails
from visual_review.builds.models import Build
from visual_review.builds.time_slices import TimeSlice, TimeSliceEndedError
from visual_review.jobs.turns import is_busy, others_wait

# Pauses triple, so the last attempts are hours later, when the storage is back.
RETRY = RetryStrategy(max_attempts=10, exponential_wait=3)
PAUSE_SECONDS: Final = 10
# A service that is never idle renders a few thumbnails after a minute, within half a second.
MOST_POSTPONED: Final = 6


@dataclass
class _Interruption:
    """Ends the job before the next few thumbnails, while builds wait or another's turn has come."""

    postponed: int
    steps: int = 0
    turn: TimeSlice = field(default_factory=lambda: TimeSlice(partial(others_wait, "thumbnails")))

    def check(self) -> None:
        may_delay = self.steps == 0 and self.postponed >= MOST_POSTPONED
        if not may_delay and is_busy("builds"):
            raise TimeSliceEndedError
        self.turn.check()
        self.steps += 1


@app.task(name=RENDER_THUMBNAILS, queue="thumbnails", retry=RETRY)
def render_thumbnails(build_id: str, organization_id: str, postponed: int = 0) -> None:
    rows = Build.objects.select_related("repository")
    build = rows.filter(pk=build_id, repository__removed_at=None).first()
    if build is None:
        return
    interruption = _Interruption(postponed)
    try:
        render_missing_thumbnails(build, interruption.check)
    except TimeSliceEndedError:
        # A new job keeps all retries for errors.
        waited = 0 if interruption.steps else postponed + 1
        enqueue_thumbnails(build_id, organization_id, delay_seconds=PAUSE_SECONDS, postponed=waited)
