"""Counting failures by client, in memory."""

from visual_review.api.credentials import FailureCounter


def test_failures_beyond_the_limit_wait_for_the_end_of_the_period() -> None:
    counter = FailureCounter(limit=3, seconds=60, most=10)
    assert [counter.record("a", moment) for moment in (0, 1, 2, 3, 59.5)] == [0, 0, 0, 57, 1]
    assert [counter.record("a", moment) for moment in (60, 61, 62, 63)] == [0, 0, 0, 57]


def test_clients_are_counted_apart() -> None:
    counter = FailureCounter(limit=1, seconds=60, most=10)
    assert [counter.record(client, 0) for client in "aabb"] == [0, 60, 0, 60]


def test_memory_is_bounded_and_the_oldest_is_forgotten() -> None:
    counter = FailureCounter(limit=1, seconds=60, most=3)
    assert not any(counter.record(client, 0) for client in "abcd")
    assert counter.record("d", 1)
    assert not counter.record("a", 1)


def test_a_client_who_began_again_is_not_the_oldest() -> None:
    counter = FailureCounter(limit=1, seconds=60, most=2)
    counter.record("a", 0)
    counter.record("b", 30)
    counter.record("a", 70)
    counter.record("c", 71)
    assert counter.record("a", 72)


def test_everything_can_be_forgotten() -> None:
    counter = FailureCounter(limit=1, seconds=60, most=2)
    counter.record("a", 0)
    counter.clear()
    assert not counter.record("a", 1)
