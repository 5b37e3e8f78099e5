from concurrent.futures import ThreadPoolExecutor

import pytest
from scripts.local_host.memory import (
    MemoryHost,
    MemoryWebhookReader,
    MemoryWorld,
    sign_delivery,
    world_of,
)

from tests.support.hosts.adapter import NAME, TOKEN, AdapterUnderTest
from tests.support.hosts.contract import HostContract
from visual_review.hosts.errors import HostBusyError, HostResponseError, SignatureInvalidError

SECRET = "the secret of a webhook"


@pytest.fixture
def adapter() -> AdapterUnderTest:
    world = MemoryWorld("memory://test")
    world.add_repository(NAME)
    return AdapterUnderTest(world, MemoryHost(world, TOKEN))


class TestMemoryHost(HostContract):
    pass


def test_every_third_call_can_fail(adapter: AdapterUnderTest) -> None:
    adapter.world.add_fault("busy", "get_repository", every=3)
    worked = []
    for _ in range(6):
        try:
            adapter.host.get_repository(NAME)
        except HostBusyError:
            worked.append(False)
        else:
            worked.append(True)
    assert worked == [True, True, False, True, True, False]


def test_calls_are_recorded_with_their_failure(adapter: AdapterUnderTest) -> None:
    adapter.world.add_fault("html", "get_repository", times=1)
    with pytest.raises(HostResponseError):
        adapter.host.get_repository(NAME)
    adapter.host.get_repository(NAME)
    logged = [(call.arguments, call.failure) for call in adapter.world.calls("get_repository")]
    assert logged == [((NAME,), "HostResponseError"), ((NAME,), "")]


def test_a_new_repository_may_take_an_old_name(adapter: AdapterUnderTest) -> None:
    moved = adapter.world.rename_repository(NAME, "acme/site")
    taken = adapter.world.add_repository(NAME)
    assert adapter.host.get_repository(NAME) == taken
    assert adapter.host.get_repository_by_id(moved.id).full_name == "acme/site"


def test_a_url_returns_the_same_world_unless_a_fresh_one_is_requested() -> None:
    world = world_of("memory://one", fresh=True)
    assert world_of("memory://one") is world
    assert world_of("memory://one", fresh=True) is not world


def test_changes_are_reported_by_signed_deliveries(adapter: AdapterUnderTest) -> None:
    number = adapter.world.open_pull_request(NAME, "feature", "a" * 40).number
    merged = adapter.world.merge_pull_request(NAME, number, "c" * 40)
    adapter.world.delete_branch(NAME, "feature")
    adapter.world.transfer_repository(NAME, "globex/web")
    events = adapter.world.take_events()
    kinds = [event.kind for event in events]
    assert kinds == ["pull_request", "pull_request", "branch_deleted", "repository_transferred"]
    assert len({event.delivery_id for event in events}) == 4
    assert adapter.world.take_events() == []
    headers, body = sign_delivery(events[1], SECRET)
    MemoryWebhookReader().verify_signature(headers, body, SECRET)
    event = MemoryWebhookReader().parse_event(headers, body)
    assert event == events[1]
    assert event.pull_request == merged


@pytest.mark.parametrize("secret", ["another secret", ""])
def test_a_delivery_with_another_secret_is_rejected(adapter: AdapterUnderTest, secret: str) -> None:
    adapter.world.rename_repository(NAME, "acme/site")
    headers, body = sign_delivery(adapter.world.take_events()[0], secret)
    wanted = SECRET if secret else ""
    with pytest.raises(SignatureInvalidError):
        MemoryWebhookReader().verify_signature(headers, body, wanted)


def test_an_unknown_event_is_an_error() -> None:
    with pytest.raises(HostResponseError):
        MemoryWebhookReader().parse_event({}, b'{"kind": "party"}')


def test_many_threads_share_a_world(adapter: AdapterUnderTest) -> None:
    number = adapter.world.open_pull_request(NAME, "feature", "a" * 40).number

    def write(place: int) -> str:
        return adapter.host.add_comment(NAME, number, f"Comment {place}").id

    with ThreadPoolExecutor(8) as pool:
        written = list(pool.map(write, range(200)))
    assert len(set(written)) == 200
    assert {one.id for one in adapter.world.comments_of(NAME, number)} == set(written)
    assert len(adapter.world.calls("add_comment")) == 200
