"""The options of the worker of ``visual-review up``."""

import pytest

from tests.support.case import Case
from visual_review.config.environment import EnvironmentInvalidError
from visual_review.config.standalone.worker_options import (
    CONCURRENCY,
    DEFAULT_RECORDINGS,
    RECORDINGS,
    read_worker_options,
)


def test_unset_options_have_the_defaults_of_the_command() -> None:
    assert read_worker_options({CONCURRENCY: "", "OTHER": "7"}) == (None, DEFAULT_RECORDINGS)


def test_options_are_read_from_the_environment() -> None:
    assert read_worker_options({CONCURRENCY: "3", RECORDINGS: "0"}) == (3, 0)


def test_invalid_options_are_named(case: Case) -> None:
    for name, value in ((CONCURRENCY, "0"), (CONCURRENCY, "many"), (RECORDINGS, "-1")):
        with case(f"{name}={value}"), pytest.raises(EnvironmentInvalidError, match=name):
            read_worker_options({name: value})
