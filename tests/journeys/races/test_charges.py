"""Several who enable or disable recordings at the same moment: one enrollment, one charge."""

from functools import partial
from itertools import pairwise

import pytest

from tests.support.depth import rounds
from tests.support.personas import Personas
from tests.support.threads import Racers
from tests.support.worlds import World
from visual_review.actions.dispatch import dispatch
from visual_review.actions.registry import callable_action
from visual_review.audit.models import AuditEntry
from visual_review.billing.models import ChargePeriod
from visual_review.billing.periods import Payer, Subject, end_charge, start_charge
from visual_review.billing.prices import Price

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.search]

ROUNDS = rounds(4, 15)
PRICE = Price(900, "EUR")


def test_enabling_and_disabling_at_once_charges_each_time_once(
    personas: Personas, four_threads: Racers
) -> None:
    world = World(personas.alice)
    payload = {"repoId": world.repository.id}
    for number in range(1, ROUNDS + 1):
        for name, verb in (
            ("enable_recordings", "recordings.enabled"),
            ("disable_recordings", "recordings.disabled"),
        ):
            ask = partial(dispatch, callable_action(name), personas.alice.caller, payload)
            answers = four_threads.race(*[ask] * 4)
            assert len({answer.model_dump_json() for answer in answers}) == 1
            assert AuditEntry.objects.filter(verb=verb).count() == number
        assert ChargePeriod.objects.count() == number
    assert not ChargePeriod.objects.filter(ended_at=None).exists()


def test_periods_are_single_without_any_other_lock(
    personas: Personas, four_threads: Racers
) -> None:
    payer = Payer(personas.alice.organization.id, "user_1", "Alice")
    subject = Subject("recordings", "repo_1", "acme/web")
    start = partial(start_charge, subject, PRICE, payer)
    end = partial(end_charge, subject, payer)
    for _ in range(ROUNDS):
        begun = {period.id for period in four_threads.race(*[start] * 4)}
        assert len(begun) == 1
        ended = [period for period in four_threads.race(*[end] * 4) if period]
        assert [period.id for period in ended] == list(begun)
    four_threads.race(start, start, end, end)
    end()
    periods = list(ChargePeriod.objects.order_by("started_at"))
    for earlier, later in pairwise(periods):
        assert earlier.ended_at is not None
        assert earlier.ended_at <= later.started_at
