"""Pauses that grow, and turns that bound guesses from many networks."""

from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from visual_review.accounts.attempt_rules import (
    FREE_TURNS,
    HOUR,
    NO_ATTEMPTS,
    TURN_INTERVAL,
    TURN_VALID,
    Attempts,
    Budget,
    count_attempt,
    end_pause,
    forget_attempt,
    pause_after,
    take_turn,
)

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
BUDGET = Budget(free=3, first=timedelta(seconds=2), longest=timedelta(seconds=9))
ATTACKED = Attempts(FREE_TURNS, NO_ATTEMPTS.retry_at, NOW + HOUR)


def test_pauses_double_up_to_the_longest() -> None:
    pauses = [pause_after(count, BUDGET).total_seconds() for count in range(1, 8)]
    assert pauses == [0, 0, 2, 4, 8, 9, 9]
    assert pause_after(10**9, BUDGET) == BUDGET.longest


def test_an_attempt_counts_before_its_result_is_known() -> None:
    state = NO_ATTEMPTS
    for _ in range(BUDGET.free):
        assert not state.wait_at(NOW)
        state = count_attempt(state, BUDGET, NOW)
    assert state.wait_at(NOW) == BUDGET.first
    assert state.expires_at == NOW + BUDGET.first + BUDGET.memory
    assert not end_pause(state).wait_at(NOW)
    assert forget_attempt(state).count == BUDGET.free - 1
    assert forget_attempt(NO_ATTEMPTS).count == 0


def test_the_clock_of_another_process_makes_no_one_wait() -> None:
    ahead = count_attempt(NO_ATTEMPTS, BUDGET, NOW + timedelta(seconds=1))
    assert not ahead.wait_at(NOW)


def test_without_an_attack_no_one_waits_for_a_turn() -> None:
    account = NO_ATTEMPTS
    for _ in range(FREE_TURNS):
        result = take_turn(account, NO_ATTEMPTS, NOW)
        assert not result.wait
        account = result.account
    assert account.count == FREE_TURNS


def test_a_reserved_turn_stays_reserved_and_is_used_once() -> None:
    busy = take_turn(ATTACKED, NO_ATTEMPTS, NOW).account
    reserved = take_turn(busy, NO_ATTEMPTS, NOW)
    assert reserved.wait == TURN_INTERVAL
    assert reserved.turn.expires_at == NOW + TURN_INTERVAL + TURN_VALID
    # Asking again moves nothing.
    again = take_turn(reserved.account, reserved.turn, NOW + timedelta(seconds=1))
    assert again.wait == TURN_INTERVAL - timedelta(seconds=1)
    assert (again.account, again.turn) == (reserved.account, reserved.turn)
    used = take_turn(reserved.account, reserved.turn, NOW + TURN_INTERVAL)
    assert not used.wait
    assert used.turn == NO_ATTEMPTS
    assert used.account.count == busy.count + 1


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 10)), max_size=80))
def test_admitted_attempts_are_bounded_and_no_network_waits_longer_than_its_place(
    asked: list[tuple[int, int]],
) -> None:
    """``asked`` is which network asks, and how many seconds after the one before it."""
    account, moment, admitted = ATTACKED, NOW, 0
    turns: dict[int, Attempts] = {}
    for network, seconds in asked:
        moment += timedelta(seconds=seconds)
        turn = turns.get(network, NO_ATTEMPTS)
        result = take_turn(account, turn if turn.expires_at > moment else NO_ATTEMPTS, moment)
        account, turns[network] = result.account, result.turn
        admitted += not result.wait
        # Ten networks with one turn each; a turn that no one used takes its time, too.
        assert result.wait <= 10 * TURN_INTERVAL
    turns_given = (moment - NOW) / TURN_INTERVAL
    assert admitted <= turns_given + 10
