"""How errors are described to callers, and how often they are logged."""

import pytest
from django.db import OperationalError

from visual_review.api import errors


def test_an_outage_is_logged_once_a_second_however_many_calls_meet_it(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    moments = iter((10.0, 10.5, 10.9, 11.0))
    monkeypatch.setattr(errors, "OUTAGES", errors.OutageLog())
    monkeypatch.setattr(errors.time, "monotonic", lambda: next(moments))
    for _ in range(4):
        assert errors.describe_error(OperationalError("gone")).status == 503
    assert len(caplog.records) == 2
