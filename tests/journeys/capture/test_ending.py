"""However a capture ends, no browser and no temporary file stays behind."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.support.browser import wait_for
from tests.support.small_storybooks import BAD_STORYBOOK

pytestmark = pytest.mark.skipif(not Path("/proc/self/task").is_dir(), reason="needs /proc")
CALL = "from visual_review.cli.main import main; main()"
SECONDS = 30


def browsers_below(folder: Path) -> list[int]:
    """Return the processes whose profile is in ``folder``."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            line = (process / "cmdline").read_bytes()
        except OSError:
            continue
        if b"--user-data-dir=" + os.fsencode(folder) in line:
            found.append(int(process.name))
    return found


def start(folder: Path) -> subprocess.Popen[bytes]:
    """Start a capture of a story that never renders, and wait for the browser."""
    folder.chmod(0o711)
    command = [BAD_STORYBOOK, "--story", "bad--never-renders", "--output", folder / "out"]
    process = subprocess.Popen(
        [sys.executable, "-c", CALL, "capture", *map(str, command)],
        env={**os.environ, "TMPDIR": str(folder)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    )
    wait_for("its browser starts", lambda: len(browsers_below(folder)) > 1)
    return process


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_the_browser_and_removes_its_files(
    number: signal.Signals, tmp_path: Path
) -> None:
    process = start(tmp_path)
    process.send_signal(number)
    _, errors = process.communicate(timeout=SECONDS)
    assert process.returncode == 130
    message = b" ".join(errors.split())
    assert b"Interrupted: the 0 screenshots so far were discarded, and" in message
    assert b"Traceback" not in message
    assert not (tmp_path / "out").exists()
    assert browsers_below(tmp_path) == []
    assert [path for path in tmp_path.iterdir() if path.name != "out"] == []


def test_a_killed_capture_takes_its_browser_with_it(tmp_path: Path) -> None:
    process = start(tmp_path)
    process.kill()
    process.communicate()
    process.wait(SECONDS)
    deadline = time.monotonic() + SECONDS
    while browsers_below(tmp_path) and time.monotonic() < deadline:
        time.sleep(0.02)
    assert browsers_below(tmp_path) == []
