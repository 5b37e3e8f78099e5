"""Processes forked by another one, handled like processes started here."""

import json
import os
import signal
import subprocess
import sys

import pytest

from tests.support.case import Case
from visual_review.config.commands.worker import (
    CONCURRENCY,
    DEFAULT_RECORDINGS,
    RECORDINGS,
    read_worker_options,
)
from visual_review.config.environment import EnvironmentInvalidError, StartupError
from visual_review.config.standalone.child_processes import ForkedProcess
from visual_review.config.standalone.fork_plan import (
    ForkPlan,
    describe_failure,
    raise_failure,
    write_report,
)


def start(*command: str) -> ForkedProcess:
    return ForkedProcess(os.posix_spawn(command[0], command, {}))


def test_its_exit_code_is_read_once_and_kept() -> None:
    process = start("/bin/sh", "-c", "exit 3")
    assert process.wait() == 3
    assert process.poll() == 3
    # The number now belongs to no process, or to a foreign one.
    process.send_signal(signal.SIGKILL)


def test_waiting_for_it_ends_in_time() -> None:
    process = start("/bin/sleep", "60")
    assert process.poll() is None
    with pytest.raises(subprocess.TimeoutExpired):
        process.wait(0.05)
    process.send_signal(signal.SIGTERM)
    assert process.wait(60) == -signal.SIGTERM


PLAN = ForkPlan(supervisor=1, reports=3, listener=4, migrate=5, web=6, worker=7)


def test_a_plan_is_passed_as_arguments() -> None:
    assert ForkPlan.parse(PLAN.arguments()) == PLAN
    assert PLAN.files() == [3, 4, 5, 6, 7]


def test_a_failure_is_raised_again_with_its_message(case: Case) -> None:
    for kind in (StartupError, EnvironmentInvalidError):
        with case(kind.__name__):
            reading, writing = os.pipe()
            write_report(writing, **describe_failure(kind("Set X.\nThen run it again.")))
            os.close(writing)
            with os.fdopen(reading) as reports:
                report = json.loads(reports.readline())
            with pytest.raises(StartupError, match=r"Set X.\nThen") as raised:
                raise_failure(report)
            assert type(raised.value) is kind


def test_other_reports_are_no_failure() -> None:
    raise_failure({"link": "http://localhost/setup/x"})


SCRIPT = """
import sys
from visual_review.config.standalone.fork_server import show_command
show_command(sys.argv[1].split())
print(open("/proc/self/cmdline").read(), end="")
"""


def shown(title: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, title], capture_output=True, text=True, check=True
    )
    return done.stdout


def test_the_arguments_are_replaced_as_far_as_there_is_room(case: Case) -> None:
    with case("shorter"):
        assert shown("service web").rstrip("\0") == "service\0web"
    with case("longer"):
        before = len("\0".join([sys.executable, "-c", SCRIPT, "x" * 3000]))
        long = shown("x" * 3000)
        assert long.rstrip("\0") == "x" * 3000
        assert len(long) == before + 1


def test_unset_options_have_the_defaults_of_the_command() -> None:
    assert read_worker_options({CONCURRENCY: "", "OTHER": "7"}) == (None, DEFAULT_RECORDINGS)


def test_options_are_read_from_the_environment() -> None:
    assert read_worker_options({CONCURRENCY: "3", RECORDINGS: "0"}) == (3, 0)


def test_invalid_options_are_named(case: Case) -> None:
    for name, value in ((CONCURRENCY, "0"), (CONCURRENCY, "many"), (RECORDINGS, "-1")):
        with case(f"{name}={value}"), pytest.raises(EnvironmentInvalidError, match=name):
            read_worker_options({name: value})
