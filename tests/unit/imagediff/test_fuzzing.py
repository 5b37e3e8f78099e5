"""The runner of ``make fuzz``: survives the cases it looks for, and keeps them."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.support.imagediff.engines import require_native_engine
from tests.support.imagediff.fuzz import workers
from tests.support.imagediff.fuzz.workers import Finding, Job, Report, check_all

CRASHES, LOOPS, RAISES = 3, 4, 8


def check(number: int) -> bool:
    if number == CRASHES:
        os.kill(os.getpid(), signal.SIGKILL)
    while number == LOOPS:
        pass
    if number == RAISES:
        raise ValueError("what the engines disagree on")
    return number % 2 == 0


@pytest.mark.skipif(sys.platform != "linux", reason="processes are forked")
def test_crashes_endless_loops_and_errors_are_found_and_the_others_checked(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(workers, "CASE_SECONDS", 0.1)
    deadline = time.monotonic() + 60
    messages = list(check_all(check, [Job(first, 2, 12, deadline) for first in range(2)]))
    findings = {each.number: each.problem for each in messages if isinstance(each, Finding)}
    assert set(findings) == {CRASHES, LOOPS, RAISES}
    assert "code -9" in findings[CRASHES]
    assert "CPU time" in findings[LOOPS]
    assert "what the engines disagree on" in findings[RAISES]
    last = [each for each in messages if isinstance(each, Report)]
    # Cases checked before a crash, and not yet reported, are not counted.
    assert {(each.checked, each.read) for each in last} == {(3, 2), (4, 0)}


@pytest.mark.deep
@pytest.mark.skipif(sys.platform != "linux", reason="processes are forked")
def test_the_command_checks_as_many_cases_as_it_is_told(tmp_path: Path) -> None:
    require_native_engine()
    options = ["--cases=40", "--seed=1", "--processes=2", f"--findings={tmp_path / 'found'}"]
    run = subprocess.run(
        [sys.executable, "-m", "tests.support.imagediff.fuzz", *options],
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stdout + run.stderr
    assert "40 cases" in run.stdout
    assert "0 findings, seed 1" in run.stdout
    assert not (tmp_path / "found").exists()
