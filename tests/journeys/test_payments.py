"""Charges sent to a server that behaves like Stripe, with faults: charged once in every case."""

import itertools
from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection, transaction
from procrastinate.contrib.django.models import ProcrastinateJob
from pytest_django.fixtures import Settings

from tests.support.case import Case
from tests.support.personas import Personas
from tests.support.servers.service import wait_until
from tests.support.servers.stripe import KEY, WEBHOOK_SECRET, FakeStripe, fake_stripe
from tests.support.worlds import World
from visual_review.billing.models import ChargePeriod
from visual_review.billing.prices import Price
from visual_review.jobs.billing.notify_payment_provider import (
    notify_missed_charges,
    notify_payment_provider,
)
from visual_review.kernel.clock import now
from visual_review.payments.port import Charge, PaymentsRejectedError, PaymentsUnavailableError
from visual_review.payments.settings import StripeSettings
from visual_review.payments.stripe.adapter import StripeHttpClient, StripePayments

FAULTS = [*itertools.product(["", "500", "lost"], repeat=2), ("lost", "lost", "500")]
CHARGE = Charge("charge_1", "Recordings for acme/web", "org_1", 900, "EUR")


class KilledError(Exception):
    """Stands for a kill of the worker."""


@pytest.fixture(scope="module")
def server() -> Iterator[FakeStripe]:
    with fake_stripe() as found:
        yield found


@pytest.fixture
def provider(server: FakeStripe, settings: Settings) -> FakeStripe:
    empty(server)
    settings.PAYMENTS = StripeSettings(KEY, WEBHOOK_SECRET, "cus_1", "prod_1", server.address)
    settings.RECORDINGS_PRICE = Price(900, "EUR")
    return server


def empty(server: FakeStripe) -> None:
    server.subscriptions.clear()
    server.forget_keys()
    server.faults.clear()
    server.calls.clear()


@pytest.fixture
def world(personas: Personas, provider: FakeStripe) -> World:
    assert provider
    return World(personas.alice)


@pytest.fixture
def payments(provider: FakeStripe) -> Iterator[StripePayments]:
    made = StripePayments(StripeSettings(KEY, WEBHOOK_SECRET, "cus_1", "prod_1", provider.address))
    yield made
    made.close()


def switch_recordings(world: World, name: str) -> ChargePeriod:
    world.act(name, repoId=world.repository.id)
    return ChargePeriod.objects.latest("started_at")


def notify_provider(charge: ChargePeriod) -> ChargePeriod:
    """Run the job until it succeeds, like the queue."""
    for _ in range(10):
        try:
            notify_payment_provider(charge_id=charge.id)
        except PaymentsUnavailableError:
            continue
        break
    charge.refresh_from_db()
    return charge


def queued_jobs() -> list[dict[str, Any]]:
    rows = ProcrastinateJob.objects.filter(task_name="tell_payments").order_by("id")
    return [job.args for job in rows]


def test_a_charge_is_begun_and_ended_at_stripe(world: World, provider: FakeStripe) -> None:
    charge = switch_recordings(world, "enable_recordings")
    assert queued_jobs() == [{"charge_id": charge.id}]
    notify_provider(charge)
    (begun,) = provider.active()
    assert charge.provider_item == begun["id"]
    assert (begun["customer"], begun["product"], begun["amount"]) == ("cus_1", "prod_1", 900)
    assert begun["metadata"]["visual_review_charge"] == charge.id
    assert ("POST", "/v1/subscriptions", f"{charge.id}:start") in provider.calls
    notify_provider(switch_recordings(world, "disable_recordings"))
    assert provider.active() == []
    charge.refresh_from_db()
    assert charge.provider_ended_at is not None
    assert not list(charges_queued_by_the_sweep())


def charges_queued_by_the_sweep() -> Iterator[str]:
    ProcrastinateJob.objects.all().delete()
    notify_missed_charges()
    yield from (job["charge_id"] for job in queued_jobs())


def test_whatever_fails_a_charge_is_begun_once_and_ended_once(
    world: World, provider: FakeStripe, case: Case
) -> None:
    for faults in FAULTS:
        with case(faults):
            empty(provider)
            charge = switch_recordings(world, "enable_recordings")
            provider.faults = [*faults]
            assert notify_provider(charge).provider_item
            assert len(provider.active()) == len(provider.subscriptions) == 1
            switch_recordings(world, "disable_recordings")
            provider.faults = [*faults]
            assert notify_provider(charge).provider_ended_at is not None
            assert (len(provider.active()), len(provider.subscriptions)) == (0, 1)
            assert charge.provider_problem == ""


def test_a_lost_response_is_found_days_later_when_stripe_forgot_the_key(
    world: World, provider: FakeStripe
) -> None:
    others = [World(world.persona, f"acme/{name}") for name in ("one", "two", "three")]
    charge = switch_recordings(world, "enable_recordings")
    provider.faults = ["lost"]
    with pytest.raises(PaymentsUnavailableError):
        notify_payment_provider(charge_id=charge.id)
    for other in others:
        notify_provider(switch_recordings(other, "enable_recordings"))
    provider.forget_keys()
    assert list(charges_queued_by_the_sweep()) == [charge.id]
    notify_provider(charge)
    assert (charge.provider_item, len(provider.subscriptions)) == ("sub_1", 4)


def test_a_slow_response_is_given_up_and_found_by_the_next_try(
    provider: FakeStripe, payments: StripePayments
) -> None:
    hasty = StripePayments(payments.settings, StripeHttpClient(seconds=0.2))
    provider.faults = ["slow"]
    with pytest.raises(PaymentsUnavailableError):
        hasty.start_item(CHARGE)
    hasty.close()
    # The server may come to the request only now; the next request must not meet its fault.
    wait_until("the first try is done", lambda: provider.subscriptions)
    assert payments.start_item(CHARGE) == "sub_1"
    assert len(provider.subscriptions) == 1


@pytest.mark.parametrize("step", [1, 2])
def test_a_worker_killed_after_stripe_did_its_part_does_not_do_it_again(
    world: World, provider: FakeStripe, step: int
) -> None:
    charge = switch_recordings(world, "enable_recordings")
    if step == 2:
        notify_provider(charge)
        switch_recordings(world, "disable_recordings")
    killed = connection.execute_wrapper(killing("UPDATE"))
    with pytest.raises(KilledError), transaction.atomic(), killed:
        notify_payment_provider(charge_id=charge.id)
    assert len(provider.subscriptions) == 1
    assert len(provider.active()) == 2 - step
    provider.forget_keys()
    notify_provider(charge)
    assert len(provider.subscriptions) == 1
    assert (charge.provider_ended_at is not None) == (step == 2)


def killing(begin: str) -> Callable[..., Any]:
    def wrapper(execute: Callable[..., Any], sql: str, *rest: Any) -> Any:  # noqa: ANN401 - Django's.
        if sql.startswith(begin):
            raise KilledError(sql)
        return execute(sql, *rest)

    return wrapper


def test_a_charge_that_ended_before_stripe_heard_of_it_starts_nothing(
    world: World, provider: FakeStripe
) -> None:
    switch_recordings(world, "enable_recordings")
    charge = notify_provider(switch_recordings(world, "disable_recordings"))
    assert provider.subscriptions == {}
    assert (charge.provider_item, charge.provider_ended_at is None) == ("", False)


def test_a_refusal_is_noted_on_the_charge_and_tried_again_by_the_sweep(
    world: World, provider: FakeStripe, settings: Settings
) -> None:
    settings.RECORDINGS_PRICE = Price(900, "USD")
    charge = notify_provider(switch_recordings(world, "enable_recordings"))
    assert "cannot combine currencies" in charge.provider_problem
    assert list(charges_queued_by_the_sweep()) == [charge.id]
    ChargePeriod.objects.update(currency="EUR")
    # The same key with other words is refused as well, until Stripe forgets the key.
    assert "same parameters" in notify_provider(charge).provider_problem
    provider.forget_keys()
    assert (notify_provider(charge).provider_problem, charge.provider_item) == ("", "sub_1")


def test_a_wrong_key_is_reported_without_showing_it(world: World, settings: Settings) -> None:
    assert isinstance(settings.PAYMENTS, StripeSettings)
    address = settings.PAYMENTS.api_url
    settings.PAYMENTS = StripeSettings("sk_wrong", WEBHOOK_SECRET, "cus_1", "prod_1", address)
    charge = notify_provider(switch_recordings(world, "enable_recordings"))
    assert "VISUAL_REVIEW_STRIPE_SECRET_KEY" in charge.provider_problem
    assert "sk_wrong" not in charge.provider_problem


@pytest.mark.parametrize("status", ["canceled", "incomplete_expired"])
def test_a_subscription_that_ended_at_stripe_ends_here_without_a_problem(
    world: World, provider: FakeStripe, status: str
) -> None:
    charge = notify_provider(switch_recordings(world, "enable_recordings"))
    provider.subscriptions[charge.provider_item]["status"] = status
    charge = notify_provider(switch_recordings(world, "disable_recordings"))
    assert (charge.provider_problem, charge.provider_ended_at is None) == ("", False)


def test_ending_an_unknown_subscription_is_refused(payments: StripePayments) -> None:
    with pytest.raises(PaymentsRejectedError, match="No such subscription"):
        payments.end_item("sub_unknown", "charge_1")


def test_free_and_uncollected_charges_are_not_sent(world: World, settings: Settings) -> None:
    settings.RECORDINGS_PRICE = Price(0, "EUR")
    switch_recordings(world, "enable_recordings")
    assert queued_jobs() == []
    settings.RECORDINGS_PRICE, settings.PAYMENTS = Price(900, "EUR"), None
    other = World(world.persona, "acme/docs")
    charge = switch_recordings(other, "enable_recordings")
    assert queued_jobs() == []
    notify_payment_provider(charge_id=charge.id)
    charge.refresh_from_db()
    assert charge.provider_item == ""


def test_charges_from_before_stripe_was_set_up_are_sent_by_the_sweep(
    world: World, provider: FakeStripe, settings: Settings
) -> None:
    chosen, settings.PAYMENTS = settings.PAYMENTS, None
    charge = switch_recordings(world, "enable_recordings")
    ChargePeriod.objects.update(started_at=now() - timedelta(days=3))
    settings.PAYMENTS = chosen
    assert list(charges_queued_by_the_sweep()) == [charge.id]
    assert notify_missed_charges() == 0
    assert provider.subscriptions == {}
