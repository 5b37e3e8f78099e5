"""Tests with commits leave no job behind: a later test would find and run the job."""

import pytest
from procrastinate.contrib.django.models import ProcrastinateJob

from tests.support.personas import Personas
from tests.support.worlds import World

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.mark.parametrize("turn", ["first", "second"])
def test_the_queue_holds_only_what_the_test_put_there(personas: Personas, turn: str) -> None:
    assert ProcrastinateJob.objects.count() == 0, f"before the {turn} test"
    World(personas.alice).publish({"a": "red"})
    assert ProcrastinateJob.objects.exists()
