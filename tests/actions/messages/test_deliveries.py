"""Events reach their channels at least once, in order for each build, whatever fails."""

import time
from collections.abc import Iterator
from datetime import timedelta
from http.server import BaseHTTPRequestHandler
from ipaddress import ip_network
from unittest.mock import patch

import pytest
from pytest_django.fixtures import Settings
from standardwebhooks import Webhook

from tests.support.action_calls import act
from tests.support.personas import Persona, Personas
from tests.support.receivers import Receiver, answer, delivery_jobs, run_jobs, running_receiver
from tests.support.worlds import World
from visual_review.jobs.messages import deliver_messages as job
from visual_review.kernel import outbound
from visual_review.kernel.clock import now
from visual_review.kernel.errors import ConflictError, InvalidInputError, NotFoundError
from visual_review.messages.channels import parse_url
from visual_review.messages.event_types import TYPES
from visual_review.messages.models import Channel, Delivery, Event


@pytest.fixture(autouse=True)
def loopback_allowed(settings: Settings) -> None:
    settings.MESSAGE_NETWORKS = (ip_network("127.0.0.0/8"),)


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with running_receiver() as running:
        yield running


def connect(persona: Persona, receiver: Receiver, **values: object) -> tuple[Channel, str]:
    payload = {"kind": "webhook", "url": receiver.url, "types": list(TYPES)} | values
    created = act(persona, "create_channel", **payload)
    return Channel.objects.get(pk=created.id), created.secret


def publish_and_approve(world: World, color: str = "red") -> str:
    build = world.publish({"a": color})
    world.approve(build)
    return str(build.id)


def test_events_of_a_build_arrive_in_order_and_are_signed(
    receiver: Receiver, personas: Personas, world: World
) -> None:
    _, secret = connect(personas.alice, receiver)
    build = world.publish({"a": "red"})
    world.act("write_comment", screenshotId=world.shot(build, "a").id, text="Ask @Bob")
    world.approve(build)
    run_jobs()
    found = [each.json for each in receiver.received]
    assert [each["type"] for each in found] == [
        *("build.needs_review", "comment.created", "build.decided")
    ]
    assert [each["version"] for each in found] == [1, 1, 1]
    assert found[1]["data"]["comment"]["mentioned"] == ["Bob"]
    assert found[2]["data"]["reviewState"] == "approved"
    assert found[2]["data"]["decidedBy"] == "Alice"
    for each in receiver.received:
        headers = {name.lower(): value for name, value in each.headers.items()}
        assert Webhook(secret).verify(each.body, headers) == each.json
        assert headers["webhook-id"] == each.json["id"]


def test_a_receiver_that_was_down_gets_everything_afterwards_with_the_same_ids(
    receiver: Receiver, personas: Personas, world: World
) -> None:
    connect(personas.alice, receiver)
    receiver.respond = lambda handler: answer(handler, 503, b"down")
    for color in ("red", "green", "blue"):
        publish_and_approve(world, color)
        run_jobs()
    tried = set(receiver.ids)
    row = Delivery.objects.filter(attempts__gt=0).first()
    assert row is not None
    assert (row.state, row.status, row.response) == ("waiting", 503, "down")
    receiver.received.clear()
    receiver.respond = lambda handler: answer(handler, 200)
    run_jobs()
    assert sorted(receiver.ids) == sorted(Event.objects.values_list("key", flat=True))
    for stream in set(Event.objects.values_list("stream", flat=True)):
        keys = Event.objects.filter(stream=stream).order_by("pk").values_list("key", flat=True)
        assert [each for each in receiver.ids if each in set(keys)] == list(keys)
    assert tried <= set(receiver.ids)
    assert not Delivery.objects.exclude(state="sent").exists()


def test_a_worker_that_is_killed_after_a_request_sends_the_same_event_again(
    receiver: Receiver, personas: Personas, world: World
) -> None:
    connect(personas.alice, receiver)
    publish_and_approve(world)
    with patch.object(job, "_record", side_effect=SystemExit), pytest.raises(SystemExit):
        run_jobs()
    job.resume_messages(0)
    run_jobs()
    first, *others = receiver.ids
    assert others == list(Event.objects.order_by("pk").values_list("key", flat=True))
    assert first == others[0]


def test_a_receiver_that_is_down_fills_no_queue(
    receiver: Receiver, personas: Personas, world: World
) -> None:
    connect(personas.alice, receiver)
    receiver.respond = lambda handler: answer(handler, 503)
    for color in ("red", "green", "blue"):
        publish_and_approve(world, color)
    run_jobs()
    before = delivery_jobs().count()
    publish_and_approve(world, "white")
    assert delivery_jobs().count() == before == 1


def test_one_event_that_is_refused_holds_back_its_own_build_only(
    receiver: Receiver, personas: Personas, world: World
) -> None:
    connect(personas.alice, receiver)
    refused = publish_and_approve(world, "red")
    accepted = publish_and_approve(world, "green")

    def respond(handler: BaseHTTPRequestHandler) -> None:
        about = receiver.received[-1].json["data"]["buildId"]
        answer(handler, 400 if about == refused else 200)

    receiver.respond = respond
    run_jobs()
    sent = [each.json["data"]["buildId"] for each in receiver.received]
    assert (sent.count(refused), sent.count(accepted)) == (1, 2)


def test_a_channel_that_fails_for_a_day_is_paused_and_resumed_without_a_loss(
    receiver: Receiver, personas: Personas, world: World
) -> None:
    channel, _ = connect(personas.alice, receiver)
    receiver.respond = lambda handler: answer(handler, 500)
    for color in ("red", "green", "blue"):
        publish_and_approve(world, color)
    run_jobs()
    Channel.objects.update(failing_since=now() - timedelta(hours=25))
    run_jobs()
    channel.refresh_from_db()
    assert channel.paused_at is not None
    receiver.received.clear()
    receiver.respond = lambda handler: answer(handler, 200)
    # Later events wait, too.
    publish_and_approve(world, "white")
    run_jobs()
    assert receiver.received == []
    with pytest.raises(ConflictError, match="This channel is paused"):
        act(personas.alice, "send_event_again", deliveryId=Delivery.objects.latest("pk").pk)
    act(personas.alice, "change_channel", channelId=channel.pk, operation="resume")
    run_jobs()
    assert len(receiver.received) == Event.objects.count() == 8


def test_a_secret_rotates_with_an_overlap(
    receiver: Receiver, personas: Personas, world: World
) -> None:
    channel, former = connect(personas.alice, receiver)
    changed = act(personas.alice, "change_channel", channelId=channel.pk, operation="rotate")
    publish_and_approve(world)
    run_jobs()
    Channel.objects.update(former_until=now() - timedelta(seconds=1))
    publish_and_approve(world, "green")
    run_jobs()
    first, last = (
        ({name.lower(): value for name, value in each.headers.items()}, each.body)
        for each in (receiver.received[0], receiver.received[-1])
    )
    for secret in (former, changed.secret):
        Webhook(secret).verify(first[1], first[0])
    Webhook(changed.secret).verify(last[1], last[0])
    assert last[0]["webhook-signature"].count("v1,") == 1


def test_rules_of_repository_branch_and_type(
    receiver: Receiver, personas: Personas, world: World
) -> None:
    connect(personas.alice, receiver, branch="release/*")
    connect(personas.alice, receiver, types=["build.decided"])
    publish_and_approve(world)
    run_jobs()
    assert [each.json["type"] for each in receiver.received] == ["build.decided"]
    World(personas.mallory, "evil/web").publish({"a": "red"})
    run_jobs()
    assert len(receiver.received) == 1


@pytest.mark.parametrize("kind", ["slack", "teams"])
def test_chats_get_what_people_act_on_with_names_as_text(
    receiver: Receiver, personas: Personas, world: World, kind: str
) -> None:
    connect(personas.alice, receiver, kind=kind)
    first = world.publish({"a": "red"})
    world.approve(first)
    build = world.publish({"a": "green"}, branch="<!channel>*x*", target="main")
    world.act("write_comment", screenshotId=world.shot(build, "a").id, text="Why?")
    run_jobs()
    assert len(receiver.received) == 3
    bodies = [each.body.decode() for each in receiver.received]
    (text,) = [each for each in bodies if str(build.id) in each]
    assert "/shared-pictures/" in text
    if kind == "slack":
        assert "<!channel>" not in text


def test_hostile_receivers_cost_a_bounded_time_and_memory(
    receiver: Receiver, personas: Personas, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(job, "REQUEST_SECONDS", 0.5)
    connect(personas.alice, receiver)

    def drip(handler: BaseHTTPRequestHandler) -> None:
        for _ in range(100):
            handler.wfile.write(b"H")
            handler.wfile.flush()
            time.sleep(0.05)

    def flood(handler: BaseHTTPRequestHandler) -> None:
        answer(handler, 200, b"a" * 5_000_000)

    publish_and_approve(world)
    receiver.respond = drip
    began = time.monotonic()
    run_jobs()
    assert time.monotonic() - began < 5
    delivery = Delivery.objects.order_by("pk")[0]
    assert delivery.state == "waiting"
    receiver.respond = flood
    run_jobs()
    delivery.refresh_from_db()
    assert (delivery.state, len(delivery.response)) == ("sent", job.RESPONSE_BYTES)


@pytest.mark.parametrize(
    ("url", "reason"),
    [
        ("https://127.0.0.1/x", "not on the public internet"),
        ("https://localhost/x", "not on the public internet"),
        ("https://[::ffff:10.0.0.1]/x", "not on the public internet"),
        ("https://missing.invalid/x", "cannot be resolved"),
    ],
)
def test_private_addresses_are_refused_unless_the_operator_allows_them(
    receiver: Receiver, personas: Personas, world: World, settings: Settings, url: str, reason: str
) -> None:
    settings.MESSAGE_NETWORKS = ()
    connect(personas.alice, receiver, url=url)
    publish_and_approve(world)
    run_jobs()
    assert receiver.received == []
    assert reason in Delivery.objects.order_by("pk")[0].failure


@pytest.mark.parametrize(
    "url",
    ["ftp://example.com", "https://", "https://a b", "https://u:p@example.com", "https://x:0"],
)
def test_urls_that_cannot_be_used_are_refused(personas: Personas, url: str) -> None:
    with pytest.raises(InvalidInputError, match="The URL cannot be used"):
        parse_url(url)
    with pytest.raises(InvalidInputError):
        act(personas.alice, "create_channel", kind="webhook", url=url, types=list(TYPES))


def test_another_address_of_the_host_is_tried(
    receiver: Receiver, personas: Personas, world: World
) -> None:
    connect(personas.alice, receiver)
    publish_and_approve(world)
    # Nothing listens on the first one.
    with patch.object(outbound, "resolve", return_value=["127.0.0.2", "127.0.0.1"]):
        run_jobs()
    assert len(receiver.received) == 2


def test_a_redirect_is_not_followed(receiver: Receiver, personas: Personas, world: World) -> None:
    connect(personas.alice, receiver)

    def redirect(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(302)
        handler.send_header("Location", receiver.url)
        handler.end_headers()

    receiver.respond = redirect
    publish_and_approve(world)
    run_jobs()
    assert len(receiver.received) == 1
    assert Delivery.objects.order_by("pk")[0].status == 302


def test_others_do_not_find_a_channel(receiver: Receiver, personas: Personas, world: World) -> None:
    channel, _ = connect(personas.alice, receiver)
    publish_and_approve(world)
    run_jobs()
    delivery = Delivery.objects.order_by("pk")[0]
    with pytest.raises(NotFoundError):
        act(personas.mallory, "change_channel", channelId=channel.pk, operation="remove")
    with pytest.raises(NotFoundError):
        act(personas.mallory, "send_event_again", deliveryId=delivery.pk)
    act(personas.alice, "send_event_again", deliveryId=delivery.pk)
    run_jobs()
    assert receiver.ids.count(delivery.event.key) == 2
