"""What the supervisor and the processes that are forked for it exchange."""

import json
import os

import pytest

from tests.support.case import Case
from visual_review.config.environment import EnvironmentInvalidError
from visual_review.config.errors import StartupError
from visual_review.config.standalone.fork_plan import (
    ForkPlan,
    describe_failure,
    raise_failure,
    write_report,
)

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
