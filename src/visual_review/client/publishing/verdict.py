"""Waits for the verdict of a build."""

import time
from typing import Final

from visual_review.client.publishing.api import Service
from visual_review.client.publishing.responses import Progress
from visual_review.client.reporter import Reporter
from visual_review.client.transport.errors import PublishError

FIRST_PAUSE: Final = 0.3
LONGEST_PAUSE: Final = 5.0
# Small builds take less than a second; large ones need not be polled so often.
GROWTH: Final = 1.3


def wait_for_verdict(
    service: Service, progress: Progress, seconds: float, reporter: Reporter
) -> Progress:
    """Poll until the build is processed.

    Raises PublishError after ``seconds``; the server still processes the build.
    """
    deadline = time.monotonic() + seconds
    pause = FIRST_PAUSE
    if progress.unfinished:
        reporter.note("Waiting for the comparison.")
    while True:
        left = deadline - time.monotonic()
        if not progress.unfinished:
            return progress
        if left <= 0:
            raise PublishError(
                f"Build #{progress.number} was still {progress.status} after {seconds:g} seconds. "
                f"The server continues; see {progress.url}, or wait longer with --timeout."
            )
        time.sleep(min(pause, left))
        pause = min(pause * GROWTH, LONGEST_PAUSE)
        progress = service.progress(progress.id)
