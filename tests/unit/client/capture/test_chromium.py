"""Finding the browser."""

import sys
from pathlib import Path

import pytest
from playwright.sync_api import sync_playwright

from visual_review.client.capture import CaptureError
from visual_review.client.capture.chromium import ENVIRONMENT, find_chromium


def test_a_missing_browser_is_named_with_a_command_that_works_as_pasted(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PATH", "")
    monkeypatch.delenv(ENVIRONMENT, raising=False)
    monkeypatch.setenv("PLAYWRIGHT_BROWSERS_PATH", str(tmp_path))
    with sync_playwright() as playwright, pytest.raises(CaptureError) as found:
        find_chromium(playwright, None)
    assert f"`{sys.executable} -m playwright install" in str(found.value)
