"""Abort a process that still hangs after a test's timeout, so that every run ends.

pytest-timeout interrupts a test once. A teardown that hangs later, for example waiting for a
thread, would hang forever; xdist continues with another process and reports the test.
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
    # Pytest makes the abort print the stack of every thread.
    guard = Timer(seconds + GRACE_SECONDS, os.abort)
    guard.daemon = True
    guard.start()
    try:
        return (yield)
    finally:
        guard.cancel()
