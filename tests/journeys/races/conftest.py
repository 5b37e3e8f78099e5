"""Threads that begin at the same moment, with a database connection each."""

from collections.abc import Iterator

import pytest

from tests.support.threads import Racers, racers


@pytest.fixture
def two_threads() -> Iterator[Racers]:
    with racers(2) as pool:
        yield pool


@pytest.fixture
def four_threads() -> Iterator[Racers]:
    with racers(4) as pool:
        yield pool
