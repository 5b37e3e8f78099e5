"""A recorded delivery of GitLab is refused once its signed time is past."""

import base64
import hashlib
import hmac
import json
import logging
import time

import pytest
from django.http import HttpResponse
from django.test import Client

from tests.support.case import Case
from tests.support.host_accounts import WEBHOOK_SECRET
from tests.support.hosts.deliveries import merge_request
from tests.support.personas import Personas
from visual_review.kernel.encryption import encrypt
from visual_review.repositories.models import HostAccount, WebhookDelivery

pytestmark = pytest.mark.django_db
BODY = json.dumps(merge_request()).encode()
# Well inside and well outside the tolerance of five minutes, also on a slow machine.
RECENT, OLD = 60, 600


@pytest.fixture
def account(personas: Personas) -> HostAccount:
    return HostAccount.objects.create(
        organization=personas.alice.organization,
        kind="gitlab",
        address="https://gitlab.com",
        name="acme",
        webhook_secret=encrypt(WEBHOOK_SECRET),
    )


def deliver(account: HostAccount, timestamp: str) -> HttpResponse:
    signed = f"w-1.{timestamp}.".encode() + BODY
    digest = hmac.digest(WEBHOOK_SECRET.encode(), signed, hashlib.sha256)
    return Client().post(
        f"/api/webhooks/hosts/{account.id}",
        BODY,
        content_type="application/json",
        headers={
            "webhook-id": "w-1",
            "webhook-timestamp": timestamp,
            "webhook-signature": f"v1,{base64.b64encode(digest).decode()}",
        },
    )


def test_a_delivery_is_accepted_only_near_its_signed_time(
    account: HostAccount, case: Case, caplog: pytest.LogCaptureFixture
) -> None:
    for age in (-RECENT, 0, RECENT):
        with case(f"{age} seconds old"):
            assert deliver(account, str(int(time.time()) - age)).status_code == 202
    for age in (-OLD, OLD, 40 * 24 * 3600):
        with case(f"{age} seconds old"), caplog.at_level(logging.WARNING):
            assert deliver(account, str(int(time.time()) - age)).status_code == 401
            assert "set the clocks of GitLab" in caplog.text
    assert not WebhookDelivery.objects.exists()


def test_a_delivery_without_a_valid_time_is_refused(account: HostAccount, case: Case) -> None:
    for timestamp in ("", "now", "-1", "1e9", "٣", "9" * 5000):
        with case(timestamp[:10]):
            assert deliver(account, timestamp).status_code == 401
