"""POST /api/webhooks/payments: signed events change a period once, in whatever order they come."""

import time
from typing import Any

import pytest
from django.test import Client
from pytest_django.fixtures import Settings

from tests.support.personas import Personas
from tests.support.servers.stripe import KEY, WEBHOOK_SECRET, signed
from tests.support.worlds import World
from visual_review.audit.models import AuditEntry
from visual_review.billing.models import ChargePeriod
from visual_review.payments.settings import StripeSettings

ADDRESS = "/api/webhooks/payments"
NOW = int(time.time())
Event = dict[str, Any]


@pytest.fixture
def charge(personas: Personas, settings: Settings) -> ChargePeriod:
    settings.PAYMENTS = StripeSettings(KEY, WEBHOOK_SECRET, "cus_1", "prod_1", "http://nowhere")
    World(personas.alice)
    return ChargePeriod.objects.create(
        organization=personas.alice.organization,
        product="recordings",
        subject_id="repo_1",
        subject_name="acme/web",
        price=900,
        currency="EUR",
        provider_item="sub_1",
    )


def deleted(at: int = NOW, item: str = "sub_1") -> Event:
    return event("customer.subscription.deleted", {"id": item, "object": "subscription"}, at)


def unpaid(at: int = NOW) -> Event:
    parent = {"subscription_details": {"subscription": "sub_1"}}
    return event("invoice.payment_failed", {"id": "in_1", "number": "A-7", "parent": parent}, at)


def paid(at: int = NOW) -> Event:
    return event("invoice.paid", {"id": "in_1", "subscription": "sub_1"}, at)


def event(kind: str, thing: Event, at: int) -> Event:
    return {"id": "evt_1", "type": kind, "created": at, "data": {"object": thing}}


def send(sent_event: Event, secret: str = WEBHOOK_SECRET, age: int = 0) -> int:
    body, signature = signed(sent_event, secret, age)
    return post(body, signature)


def post(body: bytes, signature: str | None) -> int:
    headers = {} if signature is None else {"Stripe-Signature": signature}
    response = Client().post(ADDRESS, body, content_type="application/json", headers=headers)
    return response.status_code


def problem(charge: ChargePeriod) -> str:
    charge.refresh_from_db()
    return charge.provider_problem


def test_a_canceled_subscription_is_noted_and_logged(charge: ChargePeriod) -> None:
    assert send(deleted()) == 200
    assert problem(charge) == "Stripe canceled the subscription."
    entry = AuditEntry.objects.get()
    assert (entry.verb, entry.target_id) == ("charge.provider_noted", charge.id)
    assert entry.organization_id == charge.organization_id
    assert charge.ended_at is None


def test_a_failed_payment_is_noted_until_it_is_paid(charge: ChargePeriod) -> None:
    assert send(unpaid()) == 200
    assert problem(charge) == "Stripe could not collect invoice A-7."
    assert send(paid(NOW + 10)) == 200
    assert problem(charge) == ""


def test_an_event_that_comes_twice_or_too_late_changes_nothing(charge: ChargePeriod) -> None:
    for sent_event in (unpaid(), unpaid(), paid(NOW + 10), unpaid(), paid(NOW + 10)):
        assert send(sent_event) == 200
    assert problem(charge) == ""
    assert AuditEntry.objects.count() == 2


def test_what_ended_at_stripe_stays_ended_despite_events_about_its_invoices(
    charge: ChargePeriod,
) -> None:
    # Stripe gives up in the second of the last failed invoice.
    for sent_event in (unpaid(), deleted(), paid(NOW + 10), deleted(), unpaid(NOW + 20)):
        assert send(sent_event) == 200
    assert problem(charge) == "Stripe canceled the subscription."
    assert AuditEntry.objects.count() == 2
    assert charge.ended_at is None


def test_what_is_unknown_or_ended_here_is_taken_and_changes_nothing(charge: ChargePeriod) -> None:
    odd: list[Event] = [
        deleted(item="sub_of_others"),
        event("charge.refunded", {"id": "ch_1"}, NOW),
        event("invoice.payment_failed", {"id": "in_1"}, NOW),
        {"type": "customer.subscription.deleted"},
        {"type": "customer.subscription.deleted", "data": {"object": []}, "created": "x"},
        {"type": ["x"], "data": {}},
    ]
    for sent_event in odd:
        assert send(sent_event) == 200, sent_event
    ChargePeriod.objects.update(ended_at="2026-01-01T00:00Z")
    assert send(deleted()) == 200
    assert problem(charge) == ""
    assert not AuditEntry.objects.exists()


def test_an_event_without_a_recent_signature_of_stripe_is_rejected(charge: ChargePeriod) -> None:
    body, signature = signed(deleted())
    assert send(deleted(), secret="whsec_other") == 400
    assert send(deleted(), age=301) == 400
    assert post(body + b" ", signature) == 400
    assert post(body, None) == 400
    assert post(body, "t=x,v1=y") == 400
    assert post(b"\xff", signature) == 400
    assert problem(charge) == ""


def test_without_a_payment_provider_the_url_does_not_exist(
    charge: ChargePeriod, settings: Settings
) -> None:
    settings.PAYMENTS = None
    assert send(deleted()) == 404
    assert problem(charge) == ""
    assert Client().get(ADDRESS).status_code == 405
