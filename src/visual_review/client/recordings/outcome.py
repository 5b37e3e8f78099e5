"""Waits until the service has processed all recordings."""

import time
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from visual_review.client.recordings.api import UNFINISHED, RecordingService
from visual_review.client.recordings.upload import UploadResult
from visual_review.client.reporter import Reporter

FIRST_PAUSE: Final = 0.3
LONGEST_PAUSE: Final = 5.0
GROWTH: Final = 1.3


def wait_for_all(
    service: RecordingService, uploaded: Sequence[UploadResult], seconds: float, reporter: Reporter
) -> list[UploadResult]:
    """Return the final results; those not processed after ``seconds`` stay unchanged."""
    deadline = time.monotonic() + seconds
    results = list(uploaded)
    pause = FIRST_PAUSE
    reporter.note("Waiting until the recordings are ready.")
    while time.monotonic() < deadline:
        waiting = [index for index, result in enumerate(results) if _is_waiting(result)]
        if not waiting:
            return results
        time.sleep(min(pause, max(0.0, deadline - time.monotonic())))
        pause = min(pause * GROWTH, LONGEST_PAUSE)
        for index in waiting:
            results[index] = _refresh(service, results[index])
    reporter.note(
        f"Some were not ready after {seconds:g} seconds; the server continues to process them."
    )
    return results


def _is_waiting(result: UploadResult) -> bool:
    return result.state is not None and result.state.status in UNFINISHED


def _refresh(service: RecordingService, result: UploadResult) -> UploadResult:
    return replace(result, state=service.state(result.state.id)) if result.state else result
