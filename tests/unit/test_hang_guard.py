"""A test that hangs beyond its time ends its process, and says where it stood."""

import os
import signal
import subprocess
import sys
from pathlib import Path

HANGS = """
import threading

import pytest

from tests.support import hang_guard

hang_guard.GRACE_SECONDS = 0.5


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
ROOT = Path(__file__).parents[2]


def test_a_teardown_that_hangs_is_aborted_and_shown(tmp_path: Path) -> None:
    file = tmp_path / "test_it.py"
    file.write_text(HANGS)
    plugins = ["-p", "pytest_timeout", "-p", "tests.support.hang_guard"]
    options = [*plugins, "-o", "timeout=0.5", "--rootdir", str(tmp_path)]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-c", "/dev/null", *options, str(file)],
        cwd=ROOT,
        # The plugins of the project's own tests take seconds to load.
        env={**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )
    assert done.returncode == -signal.SIGABRT, done.stdout + done.stderr
    assert "in stuck" in done.stderr
