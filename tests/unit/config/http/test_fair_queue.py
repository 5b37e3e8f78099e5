"""Clients get their turn, however many requests another one sends."""

from hypothesis import given
from hypothesis import strategies as st

from visual_review.config.http.fair_queue import FairQueue, Turn


def take_all(queue: FairQueue[int]) -> list[str]:
    order = []
    while taken := queue.take():
        order.append(taken.client)
        queue.finish(taken)
    return order


def test_clients_take_turns() -> None:
    queue: FairQueue[int] = FairQueue(10, 10)
    for number in range(5):
        queue.put("busy", number)
    queue.put("calm", 9)
    assert take_all(queue)[:2] == ["busy", "calm"]


def test_a_client_never_has_more_than_its_share_in_progress() -> None:
    queue: FairQueue[int] = FairQueue(2, 2)
    for number in range(5):
        queue.put("busy", number)
    first, _, third = (queue.take() for _ in range(3))
    assert third is None
    queue.put("calm", 9)
    assert queue.take() == Turn("calm", 9, deferred=False)
    assert first is not None
    queue.finish(first)
    assert queue.take() == Turn("busy", 2, deferred=False)


def test_deferred_items_leave_most_places_to_others() -> None:
    queue: FairQueue[int] = FairQueue(10, 2)
    for number in range(5):
        queue.put(f"client {number}", number, deferred=True)
    assert [queue.take() is None for _ in range(3)] == [False, False, True]
    queue.put("calm", 9)
    assert queue.take() == Turn("calm", 9, deferred=False)


def test_pipelined_requests_wait_for_others_but_not_forever() -> None:
    queue: FairQueue[int] = FairQueue(100, 100)
    queue.put("reader", 0, deferred=True)
    for number in range(40):
        queue.put(f"client {number}", number)
    order = take_all(queue)
    assert 0 < order.index("reader") < 10


@given(st.lists(st.tuples(st.sampled_from("abc"), st.booleans())))
def test_everything_is_taken_once_and_in_the_order_of_its_client(
    puts: list[tuple[str, bool]],
) -> None:
    queue: FairQueue[int] = FairQueue(1, 1)
    for number, (client, deferred) in enumerate(puts):
        queue.put(client, number, deferred=deferred)
    taken = []
    while found := queue.take():
        taken.append((found.client, found.item))
        queue.finish(found)
    assert sorted(number for _, number in taken) == list(range(len(puts)))
    for client in "abc":
        for deferred in (True, False):
            mine = [n for c, n in taken if c == client and puts[n][1] is deferred]
            assert mine == sorted(mine)
