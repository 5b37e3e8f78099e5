"""A clock for limits: it stands still until a test advances it, however slow the machine is."""

from datetime import datetime, timedelta

import pytest

from visual_review.accounts import attempts
from visual_review.kernel.clock import now


class Clock:
    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.moment = now()
        monkeypatch.setattr(attempts, "now", self.read)

    def read(self) -> datetime:
        return self.moment

    def advance(self, **time: float) -> None:
        self.moment += timedelta(**time)
