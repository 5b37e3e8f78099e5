from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.support.hosts.adapter import NAME, TOKEN, AdapterUnderTest
from tests.support.hosts.contract import HostContract
from visual_review.hosts.errors import HostBusyError, HostResponseError, SignatureInvalidError
from visual_review.hosts.memory import (
    MemoryDeliveries,
    MemoryHost,
    MemoryWorld,
    signed_delivery,
    world_of,
)

SECRET = "the secret of a webhook"


@pytest.fixture
def adapter() -> AdapterUnderTest:
    world = MemoryWorld("memory://test")
    world.add_repository(NAME)
    return AdapterUnderTest(world, MemoryHost(world, TOKEN))


class TestMemoryHost(HostContract):
    pass


def test_every_third_call_can_fail(adapter: AdapterUnderTest) -> None:
    adapter.world.disturb("busy", "repository", every=3)
    worked = []
    for _ in range(6):
        try:
            adapter.host.repository(NAME)
        except HostBusyError:
            worked.append(False)
        else:
            worked.append(True)
    assert worked == [True, True, False, True, True, False]


def test_calls_are_logged_with_what_they_ended_in(adapter: AdapterUnderTest) -> None:
    adapter.world.disturb("html", "repository", times=1)
    with pytest.raises(HostResponseError):
        adapter.host.repository(NAME)
    adapter.host.repository(NAME)
    logged = [(call.arguments, call.failure) for call in adapter.world.calls("repository")]
    assert logged == [((NAME,), "HostAnswerError"), ((NAME,), "")]


def test_a_new_repository_may_take_a_former_name(adapter: AdapterUnderTest) -> None:
    moved = adapter.world.rename_repository(NAME, "acme/site")
    taken = adapter.world.add_repository(NAME)
    assert adapter.host.repository(NAME) == taken
    assert adapter.host.repository_by_id(moved.id).full_name == "acme/site"


def test_one_address_is_one_world_until_a_fresh_one_is_wanted() -> None:
    world = world_of("memory://one", fresh=True)
    assert world_of("memory://one") is world
    assert world_of("memory://one", fresh=True) is not world


def test_what_happens_is_told_by_signed_deliveries(adapter: AdapterUnderTest) -> None:
    number = adapter.world.open_pull_request(NAME, "feature", "a" * 40).number
    merged = adapter.world.merge_pull_request(NAME, number, "c" * 40)
    adapter.world.delete_branch(NAME, "feature")
    adapter.world.transfer_repository(NAME, "globex/web")
    events = adapter.world.take_events()
    kinds = [event.kind for event in events]
    assert kinds == ["pull_request", "pull_request", "branch_deleted", "repository_transferred"]
    assert len({event.delivery_id for event in events}) == 4
    assert adapter.world.take_events() == []
    headers, body = signed_delivery(events[1], SECRET)
    MemoryDeliveries().check(headers, body, SECRET)
    read = MemoryDeliveries().read(headers, body)
    assert read == events[1]
    assert read.pull_request == merged


@pytest.mark.parametrize("secret", ["another secret", ""])
def test_a_delivery_that_others_signed_is_refused(adapter: AdapterUnderTest, secret: str) -> None:
    adapter.world.rename_repository(NAME, "acme/site")
    headers, body = signed_delivery(adapter.world.take_events()[0], secret)
    wanted = SECRET if secret else ""
    with pytest.raises(SignatureInvalidError):
        MemoryDeliveries().check(headers, body, wanted)


def test_a_delivery_without_sense_is_no_event() -> None:
    with pytest.raises(HostResponseError):
        MemoryDeliveries().read({}, b'{"kind": "party"}')


def test_many_threads_share_a_world(adapter: AdapterUnderTest) -> None:
    number = adapter.world.open_pull_request(NAME, "feature", "a" * 40).number

    def write(place: int) -> str:
        return adapter.host.add_comment(NAME, number, f"Comment {place}").id

    with ThreadPoolExecutor(8) as pool:
        written = list(pool.map(write, range(200)))
    assert len(set(written)) == 200
    assert {one.id for one in adapter.world.comments_of(NAME, number)} == set(written)
    assert len(adapter.world.calls("add_comment")) == 200
