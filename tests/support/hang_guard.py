"""No test keeps a run from ending: a process that hangs after a test's time is over is aborted.

pytest-timeout interrupts a test once. What then hangs in a teardown, as a thread that is waited
for, would hang for good; xdist goes on with another process and tells which test it was.
"""

import os
from collections.abc import Generator
from threading import Timer

import pytest

GRACE_SECONDS = 240


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    marker = item.get_closest_marker("timeout")
    seconds = float(marker.args[0] if marker else item.config.getini("timeout") or 0)
    if not seconds or item.config.getoption("usepdb"):
        return (yield)
    # Pytest has it tell where every thread stands.
    guard = Timer(seconds + GRACE_SECONDS, os.abort)
    guard.daemon = True
    guard.start()
    try:
        return (yield)
    finally:
        guard.cancel()
