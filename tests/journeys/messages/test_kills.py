"""kill -9 of the worker: a receiver gets each event, and the first time in the order of its build."""

import time
from functools import partial
from http.server import BaseHTTPRequestHandler
from pathlib import Path

import pytest
from django.conf import settings
from django.db import transaction

from tests.support.action_calls import act
from tests.support.receivers import Receiver, answer, running_receiver
from tests.support.servers.in_process_service import InProcessService
from tests.support.servers.service import wait_until
from tests.support.servers.worker import Worker, database_environment
from visual_review.messages.event_types import BUILD_DECIDED
from visual_review.messages.events import publish_event
from visual_review.messages.models import Delivery, Event

BUILDS, EVENTS, KILLS = 3, 25, 3


def answer_slowly(handler: BaseHTTPRequestHandler) -> None:
    time.sleep(0.03)
    answer(handler, 200)


def publish_events(organization_id: str) -> None:
    data = {"repository": {"id": "repo_1", "name": "acme/web"}, "branch": "main"}
    for number in range(EVENTS):
        for build in range(BUILDS):
            with transaction.atomic():
                describe = partial(dict, data, number=number)
                publish_event(BUILD_DECIDED, organization_id, f"build_{build}", describe)


def first_received(receiver: Receiver) -> list[str]:
    return list(dict.fromkeys(receiver.ids))


def kill_and_finish(worker: Worker, receiver: Receiver, channel_id: str) -> None:
    waiting = Delivery.objects.filter(channel=channel_id).exclude(state="sent")
    for kill in range(1, KILLS + 1):
        worker.start()
        enough = kill * BUILDS * EVENTS // (KILLS + 2)
        wait_until("some events arrive", lambda least=enough: len(receiver.ids) >= least)
        worker.kill()
    worker.start()
    wait_until("all are sent", lambda: not waiting.exists(), worker.process)


@pytest.mark.deep
def test_no_event_is_lost_when_workers_are_killed(
    service: InProcessService, tmp_path: Path
) -> None:
    alice = service.personas.alice
    environment = database_environment(
        VISUAL_REVIEW_SECRET_KEY=settings.SECRET_KEY,
        VISUAL_REVIEW_STORAGE_URL=service.blobs.as_uri(),
        VISUAL_REVIEW_PUBLIC_URL=service.url,
        VISUAL_REVIEW_MESSAGE_NETWORKS="127.0.0.0/8",
    )
    worker = Worker(tmp_path, environment)
    with running_receiver() as receiver:
        receiver.respond = answer_slowly
        channel = act(
            alice, "create_channel", kind="webhook", url=receiver.url, types=[BUILD_DECIDED]
        )
        publish_events(alice.organization.id)
        try:
            kill_and_finish(worker, receiver, channel.id)
        finally:
            worker.end()
        act(alice, "change_channel", channelId=channel.id, operation="remove")
    sent = Event.objects.filter(type=BUILD_DECIDED, data__number__gte=0)
    assert len(first_received(receiver)) == BUILDS * EVENTS
    for build in range(BUILDS):
        keys = list(
            sent.filter(stream=f"build_{build}").order_by("pk").values_list("key", flat=True)
        )
        assert [each for each in first_received(receiver) if each in set(keys)] == keys
