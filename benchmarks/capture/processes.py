"""Runs a command and counts the cost, with all started processes.

This process adopts orphans, so leftovers of a command are found and ended by their process IDs. CPU
time is the whole machine's: a sandboxed browser has PID namespaces of its own, and the times of
processes in a namespace are lost at their end.
"""

import ctypes
import os
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import psutil

from benchmarks.children import command_line

PR_SET_CHILD_SUBREAPER: Final = 36
# Processes that are about to end by themselves are not leftovers.
GRACE_SECONDS: Final = 2.0
POLL_SECONDS: Final = 0.05


@dataclass(frozen=True)
class Usage:
    """The cost of one command: elapsed time to the end, CPU time of the machine meanwhile.

    ``leftovers`` is the number of browsers left running.
    """

    code: int
    elapsed: float
    cpu: float
    leftovers: int


def adopt_orphans() -> None:
    """Make this process the parent of descendants whose parents end (Linux)."""
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "prctl(PR_SET_CHILD_SUBREAPER)")


def measure_command(
    command: Sequence[str | Path], log: Path, variables: Mapping[str, str]
) -> Usage:
    """Run ``command`` to the end; ``log`` gets the output, a file next to ``log`` the errors."""
    earlier = _descendants()
    started, busy = time.monotonic(), _busy_seconds()
    with log.open("wb") as output, errors_of(log).open("wb") as errors:
        process = subprocess.Popen(
            [str(word) for word in command],
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=errors,
            env={**os.environ, **variables},
        )
    code = process.wait()
    elapsed, cpu = time.monotonic() - started, _busy_seconds() - busy
    leftovers = _end_leftovers(earlier)
    _reap()
    return Usage(code, elapsed, cpu, leftovers)


def _busy_seconds() -> float:
    times = psutil.cpu_times()
    return float(times.user + times.nice + times.system)


def errors_of(log: Path) -> Path:
    return log.with_suffix(".errors")


def _descendants() -> set[psutil.Process]:
    return set(psutil.Process().children(recursive=True))


def _running(earlier: set[psutil.Process]) -> list[psutil.Process]:
    return [each for each in _descendants() - earlier if _is_running(each)]


def _is_running(process: psutil.Process) -> bool:
    try:
        return bool(process.status() != psutil.STATUS_ZOMBIE)
    except psutil.Error:
        return False


def _end_leftovers(earlier: set[psutil.Process]) -> int:
    """End all processes left after the grace time, and return the number of browsers among them."""
    deadline = time.monotonic() + GRACE_SECONDS
    while (left := _running(earlier)) and time.monotonic() < deadline:
        time.sleep(POLL_SECONDS)
    count = sum(_is_browser(process) for process in left)
    while left:
        for process in left:
            _kill(process)
        time.sleep(POLL_SECONDS)
        left = _running(earlier)
    return count


def _is_browser(process: psutil.Process) -> bool:
    """Return whether a process is the main one of a browser; the others are started with a type."""
    return not any(word.startswith("--type=") for word in command_line(process))


def _kill(process: psutil.Process) -> None:
    try:
        process.send_signal(signal.SIGKILL)
    except psutil.Error:
        return


def _reap() -> None:
    """Collect the adopted processes after their end."""
    while True:
        try:
            process, _ = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return
        if process == 0:
            return
