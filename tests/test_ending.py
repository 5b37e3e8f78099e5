"""A test that hangs beyond its time ends its process, and says where it stood."""

import signal
import subprocess
import sys
from pathlib import Path

HANGS = """
import threading

import pytest

from tests import ending

ending.GRACE_SECONDS = 1


@pytest.fixture
def stuck():
    yield
    try:
        threading.Event().wait()
    finally:
        threading.Event().wait()


def test_it(stuck):
    pass
"""
ROOT = Path(__file__).parents[1]


def test_a_teardown_that_hangs_is_aborted_and_shown(tmp_path: Path) -> None:
    file = tmp_path / "test_it.py"
    file.write_text(HANGS)
    options = ["-p", "tests.ending", "-o", "timeout=1", "--rootdir", str(tmp_path)]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-c", "/dev/null", *options, str(file)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )
    assert done.returncode == -signal.SIGABRT, done.stdout + done.stderr
    assert "in stuck" in done.stderr
