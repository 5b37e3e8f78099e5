"""Asks for the state of recordings until the service has looked at all of them."""

import time
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from visual_review.client.recordings.api import UNFINISHED, RecordingService
from visual_review.client.recordings.upload import Sent
from visual_review.client.reporter import Reporter

FIRST_PAUSE: Final = 0.3
LONGEST_PAUSE: Final = 5.0
GROWTH: Final = 1.3


def wait_for_all(
    service: RecordingService, sent: Sequence[Sent], seconds: float, reporter: Reporter
) -> list[Sent]:
    """What came of them. After ``seconds`` the rest stays as it was: the service goes on."""
    deadline = time.monotonic() + seconds
    known = list(sent)
    pause = FIRST_PAUSE
    reporter.note("Waiting until the recordings can be watched.")
    while time.monotonic() < deadline:
        waiting = [place for place, each in enumerate(known) if _is_waiting(each)]
        if not waiting:
            return known
        time.sleep(min(pause, max(0.0, deadline - time.monotonic())))
        pause = min(pause * GROWTH, LONGEST_PAUSE)
        for place in waiting:
            known[place] = _looked_at(service, known[place])
    reporter.note(f"Some were not ready after {seconds:g} seconds; the service goes on with them.")
    return known


def _is_waiting(each: Sent) -> bool:
    return each.state is not None and each.state.status in UNFINISHED


def _looked_at(service: RecordingService, each: Sent) -> Sent:
    return replace(each, state=service.state(each.state.id)) if each.state else each
