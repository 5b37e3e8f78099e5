"""``POST /api/webhooks/hosts/<account>``: signed, stored once, with an immediate response."""

import json
import logging
from collections.abc import Mapping
from dataclasses import replace
from datetime import timedelta
from functools import partial

import pytest
from django.http import HttpResponse
from django.test import Client
from procrastinate.contrib.django.models import ProcrastinateJob
from pytest_django.fixtures import Settings
from scripts.local_host.memory.webhooks import SIGNATURE, sign_delivery

from tests.support.case import Case
from tests.support.host_accounts import WEBHOOK_SECRET, connect_account
from tests.support.personas import Personas
from tests.support.threads import racers
from tests.support.worlds import World
from visual_review.hosts.port import Event
from visual_review.hosts.signatures import hmac_sha256
from visual_review.kernel.clock import now
from visual_review.kernel.ids import new_id
from visual_review.repositories.deliveries import KEEP, delete_expired_deliveries
from visual_review.repositories.models import HostAccount, WebhookDelivery

pytestmark = pytest.mark.django_db


@pytest.fixture
def account(personas: Personas) -> HostAccount:
    return World(personas.bob).connect_host()


def event(account: HostAccount, delivery_id: str = "d-1", **facts: str) -> Event:
    repository = account.repositories.get()
    sent_event = Event("branch_deleted", delivery_id, repository.host_id, "acme/web", branch="old")
    return replace(sent_event, **facts)  # type: ignore[arg-type]


def send(account_id: str, body: bytes, headers: Mapping[str, str], **more: str) -> HttpResponse:
    return Client().post(
        f"/api/webhooks/hosts/{account_id}",
        body,
        content_type="application/json",
        headers={name: value for name, value in headers.items() if name != "Content-Type"},
        **more,  # type: ignore[arg-type]
    )


def deliver(account: HostAccount, sent_event: Event) -> HttpResponse:
    headers, body = sign_delivery(sent_event, WEBHOOK_SECRET)
    return send(account.id, body, headers)


def jobs() -> int:
    return ProcrastinateJob.objects.filter(task_name="handle_delivery").count()


def test_a_signed_delivery_is_stored_with_its_job(account: HostAccount) -> None:
    response = deliver(account, event(account))
    assert (response.status_code, response.json()["outcome"]) == (202, "accepted")
    row = WebhookDelivery.objects.get()
    assert (row.kind, row.delivery_id, row.handled_at) == ("branch_deleted", "d-1", None)
    assert (row.event["branch"], jobs()) == ("old", 1)


def test_a_delivery_that_comes_again_changes_nothing(account: HostAccount) -> None:
    deliver(account, event(account))
    response = deliver(account, event(account))
    assert (response.status_code, response.json()["outcome"]) == (200, "repeated")
    # A replay with other contents under a used id is not stored either.
    assert deliver(account, event(account, branch="other")).status_code == 200
    assert (WebhookDelivery.objects.count(), jobs()) == (1, 1)
    assert WebhookDelivery.objects.get().event["branch"] == "old"


def test_the_same_delivery_ids_of_two_accounts_are_two_deliveries(
    account: HostAccount, personas: Personas
) -> None:
    deliver(account, event(account))
    other = connect_account(personas.mallory)
    assert deliver(other, Event("ping", "d-1")).json()["outcome"] == "accepted"


@pytest.mark.django_db(transaction=True)
def test_a_delivery_sent_many_times_at_once_is_taken_once(account: HostAccount) -> None:
    with racers(4) as pool:
        for number in range(10):
            sent_event = event(account, f"d-{number}")
            responses = pool.race(*[partial(deliver, account, sent_event)] * 4)
            assert sorted(response.status_code for response in responses) == [200, 200, 200, 202]
    assert (WebhookDelivery.objects.count(), jobs()) == (10, 10)


def test_forged_deliveries_and_unknown_accounts_get_the_same_response(
    account: HostAccount, caplog: pytest.LogCaptureFixture
) -> None:
    headers, body = sign_delivery(event(account), WEBHOOK_SECRET)
    foreign, _ = sign_delivery(event(account), "another secret")
    without = connect_account_without_secret(account)
    with caplog.at_level(logging.WARNING):
        responses = [
            send(account.id, body, foreign),
            send(account.id, body, {}),
            send(account.id, body, {SIGNATURE: ""}),
            send(account.id, body + b" ", headers),
            send(new_id("host"), body, headers),
            send("host_%00", body, headers),
            send(without.id, body, {SIGNATURE: hmac_sha256(body, "")}),
        ]
    assert {response.status_code for response in responses} == {401}
    assert len({response.content for response in responses}) == 1
    assert not WebhookDelivery.objects.exists()
    assert not jobs()
    assert "branch_deleted" not in caplog.text
    assert WEBHOOK_SECRET not in caplog.text


def connect_account_without_secret(account: HostAccount) -> HostAccount:
    row = HostAccount.objects.get(pk=account.pk)
    organization = row.organization
    organization.pk, organization.name = new_id("org"), "Quiet"
    organization.save(force_insert=True)
    row.pk, row.organization, row.webhook_secret = new_id("host"), organization, ""
    row.save(force_insert=True)
    return row


def test_rejected_deliveries_are_rate_limited_and_signed_ones_are_not(
    account: HostAccount, settings: Settings
) -> None:
    # A slow machine must not need a minute for the deliveries.
    settings.ACCOUNT_RATE_LIMITS = {"refused_delivery": "3/h/ip"}
    for _ in range(3):
        assert send(account.id, b"{}", {}).status_code == 401
    response = send(account.id, b"{}", {})
    assert (response.status_code, response["Retry-After"]) == (429, "60")
    assert deliver(account, event(account)).status_code == 202


def test_events_nothing_depends_on_are_ignored_and_said_so(account: HostAccount) -> None:
    sent_event = event(account, repository_id="999", full_name="acme/other")
    response = deliver(account, sent_event)
    assert (response.status_code, response.json()["outcome"]) == (202, "ignored")
    assert "not connected" in response.json()["detail"]
    assert not WebhookDelivery.objects.exists()


BODIES = (
    b"",
    b"null",
    b"[]",
    b"<html>",
    b"\xff\xfe",
    b'{"kind": "pull_request"}',
    b'{"kind": "party", "delivery_id": "d"}',
    b'{"kind": "ping", "delivery_id": 7}',
    b'{"kind": "ping", "delivery_id": ""}',
    json.dumps({"kind": "ping", "delivery_id": "\x00"}).encode(),
    json.dumps({"kind": "ping", "delivery_id": "d" * 201}).encode(),
    b"[" * 100_000,
    b'{"kind": "ping", "delivery_id": ' + b"9" * 10_000 + b"}",
)


def test_bodies_without_an_event_are_rejected_with_a_message(
    case: Case, account: HostAccount
) -> None:
    for body in BODIES:
        with case(f"{body!r:.60}"):
            response = send(account.id, body, {SIGNATURE: hmac_sha256(body, WEBHOOK_SECRET)})
            assert response.status_code == 400
            assert response["Content-Type"] == "application/problem+json"
            assert not WebhookDelivery.objects.exists()


def test_a_ping_shows_that_the_webhook_works(account: HostAccount) -> None:
    assert deliver(account, Event("ping", "d-1")).status_code == 202
    row = WebhookDelivery.objects.get()
    assert (row.outcome, row.handled_at is not None, jobs()) == ("The webhook works.", True, 0)


def test_deliveries_above_25_megabytes_are_rejected_unread(account: HostAccount) -> None:
    response = send(account.id, b"{}", {}, CONTENT_LENGTH=str(25 * 1024 * 1024 + 1))
    assert response.status_code == 413


def test_a_large_delivery_below_the_bound_is_taken(account: HostAccount) -> None:
    _, body = sign_delivery(event(account), WEBHOOK_SECRET)
    body += b" " * (9 * 1024 * 1024)
    response = send(account.id, body, {SIGNATURE: hmac_sha256(body, WEBHOOK_SECRET)})
    assert response.status_code == 202


def test_only_posts_are_taken(account: HostAccount) -> None:
    assert Client().get(f"/api/webhooks/hosts/{account.id}").status_code == 405


def test_deliveries_are_forgotten_after_a_month(account: HostAccount) -> None:
    for number, age in enumerate((KEEP + timedelta(minutes=1), KEEP - timedelta(minutes=1))):
        deliver(account, event(account, f"d-{number}"))
        WebhookDelivery.objects.filter(delivery_id=f"d-{number}").update(received_at=now() - age)
    assert delete_expired_deliveries() == 1
    assert WebhookDelivery.objects.get().delivery_id == "d-1"
