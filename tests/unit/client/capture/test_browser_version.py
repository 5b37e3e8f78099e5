"""Browsers too old for today's stories are refused."""

from pathlib import Path

import pytest

from tests.support.case import Case
from visual_review.client.capture import CaptureError
from visual_review.client.capture.browser import OLDEST, require_supported

BROWSER = Path("/usr/bin/chromium")


def test_only_browsers_that_are_too_old_or_no_chromium_are_refused(case: Case) -> None:
    for version in (f"{OLDEST}.0.6099.109", "156.0.8078.79"):
        require_supported(BROWSER, version)
    refused = {f"{OLDEST - 1}.9.1": "too old", "99.0": "too old", "Firefox": "not one of Chromium"}
    for version, message in refused.items():
        with case(version), pytest.raises(CaptureError, match=f"{message}.*--chromium"):
            require_supported(BROWSER, version)
