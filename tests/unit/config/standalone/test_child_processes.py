"""Processes that another one forked, handled like those that this one started."""

import os
import signal
import subprocess

import pytest

from visual_review.config.standalone.child_processes import ForkedProcess


def start(*command: str) -> ForkedProcess:
    return ForkedProcess(os.posix_spawn(command[0], command, {}))


def test_its_exit_code_is_read_once_and_kept() -> None:
    process = start("/bin/sh", "-c", "exit 3")
    assert process.wait() == 3
    assert process.poll() == 3
    # No process has its number now, or a foreign one.
    process.send_signal(signal.SIGKILL)


def test_waiting_for_it_ends_in_time() -> None:
    process = start("/bin/sleep", "60")
    assert process.poll() is None
    with pytest.raises(subprocess.TimeoutExpired):
        process.wait(0.05)
    process.send_signal(signal.SIGTERM)
    assert process.wait(60) == -signal.SIGTERM
