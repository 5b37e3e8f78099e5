"""Gives browsers a small share of a core, as on a machine busy with something else."""

import os
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Event, Thread

PERIOD_SECONDS = 0.1
PROCESSES = Path("/proc")


@contextmanager
def starved_browsers(share: float) -> Iterator[None]:
    """Let the browsers started by this process run for ``share`` of the time only."""
    ended = Event()
    thread = Thread(target=_starve, args=(share, ended))
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


def _starve(share: float, ended: Event) -> None:
    while not ended.is_set():
        groups = _browser_groups()
        _signal(groups, signal.SIGSTOP)
        time.sleep(PERIOD_SECONDS * (1 - share))
        _signal(groups, signal.SIGCONT)
        time.sleep(PERIOD_SECONDS * share)


def _signal(groups: list[int], number: int) -> None:
    for group in groups:
        with suppress(ProcessLookupError):
            os.killpg(group, number)


def _browser_groups() -> list[int]:
    """Return the process groups of browsers: child processes with a group of their own."""
    children = PROCESSES / "self" / "task"
    found: list[int] = []
    for task in children.iterdir():
        with suppress(OSError):
            found += map(int, (task / "children").read_text(encoding="utf-8").split())
    groups = []
    for pid in found:
        with suppress(OSError):
            if os.getpgid(pid) == pid and _is_browser(pid):
                groups.append(pid)
    return groups


def _is_browser(pid: int) -> bool:
    return b"--headless" in (PROCESSES / str(pid) / "cmdline").read_bytes()
