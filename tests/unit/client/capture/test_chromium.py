"""The places searched for a browser, and the message without one."""

import re
import shlex
import subprocess
from pathlib import Path

import pytest

from visual_review.client.capture.chromium import ENVIRONMENT, find_chromium
from visual_review.client.capture.errors import CaptureError


def test_the_printed_command_installs_a_browser_without_any_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(ENVIRONMENT, raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("PLAYWRIGHT_BROWSERS_PATH", str(tmp_path))
    with pytest.raises(CaptureError) as error:
        find_chromium(None)
    found = re.search(r"run `([^`]+)`", str(error.value))
    assert found
    # Without root and a download, only a dry run is possible.
    command = [*shlex.split(found[1].replace(" --with-deps", "")), "--dry-run"]
    done = subprocess.run(
        command,
        env={"PATH": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    assert "chrom" in done.stdout.lower()
