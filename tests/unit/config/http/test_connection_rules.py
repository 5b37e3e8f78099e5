"""Which connections end, and which survive next to them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from visual_review.config.http.connection_rules import (
    HEAD_SECONDS,
    MAX_STALLED,
    MAX_STALLED_PER_CLIENT,
    SEND_SECONDS,
    STALL_SECONDS,
    Activity,
    Phase,
    ending_reason,
    select_excess,
    stalled_since,
)

NOW = 1000.0


def activity(phase: Phase, age: float, unsent: float | None = None, silent: float = 0) -> Activity:
    since = None if unsent is None else NOW - unsent
    return Activity("192.0.2.1", phase, NOW - age, NOW - silent, since)


@pytest.mark.parametrize(
    ("seen", "ends"),
    [
        (activity(Phase.HEAD, HEAD_SECONDS - 1), False),
        (activity(Phase.HEAD, HEAD_SECONDS + 1), True),
        (activity(Phase.IDLE, 36), True),
        (activity(Phase.DISCARDING, 11), True),
        # However long the service itself takes.
        (activity(Phase.RESPONSE, 600), False),
        # The body has limits of its own.
        (activity(Phase.BODY, 600), False),
        (activity(Phase.RESPONSE, 600, unsent=SEND_SECONDS - 1), False),
        (activity(Phase.RESPONSE, 600, unsent=SEND_SECONDS + 1), True),
        (activity(Phase.IDLE, 1, unsent=SEND_SECONDS + 1), True),
    ],
)
def test_a_connection_ends_when_its_client_takes_too_long(
    seen: Activity,
    *,
    ends: bool,
) -> None:
    assert bool(ending_reason(seen, NOW)) is ends


@pytest.mark.parametrize(
    ("seen", "since"),
    [
        (activity(Phase.RESPONSE, 60), None),
        (activity(Phase.IDLE, 20), None),
        (activity(Phase.BODY, 60, silent=1), None),
        (activity(Phase.BODY, 60, silent=5), NOW - 5),
        (activity(Phase.HEAD, 3), NOW - 3),
        (activity(Phase.HEAD, STALL_SECONDS - 1), None),
        (activity(Phase.RESPONSE, 60, unsent=4), NOW - 4),
    ],
)
def test_only_a_client_that_makes_no_progress_is_stalled(
    seen: Activity, since: float | None
) -> None:
    assert stalled_since(seen, NOW) == since


clients = st.sampled_from(["192.0.2.1", "192.0.2.2", ""])


@given(st.lists(st.tuples(st.floats(0, 1000), clients), max_size=400))
def test_the_longest_stalled_end_and_the_limits_hold(stalled: list[tuple[float, str]]) -> None:
    excess = set(select_excess(stalled))
    kept = [each for number, each in enumerate(stalled) if number not in excess]
    assert len(kept) <= MAX_STALLED
    for client in ("192.0.2.1", "192.0.2.2"):
        mine = sorted(since for since, name in kept if name == client)
        assert len(mine) <= MAX_STALLED_PER_CLIENT
        ended = [stalled[number][0] for number in excess if stalled[number][1] == client]
        if len(kept) < MAX_STALLED:
            # Those that end have been stalled for at least as long as those that stay.
            assert all(since <= mine[0] for since in ended)


def test_few_stalled_connections_all_stay() -> None:
    assert select_excess([(1.0, "192.0.2.1")] * MAX_STALLED_PER_CLIENT) == []


def test_of_those_that_began_at_once_the_earliest_end() -> None:
    stalled = [(1.0, "192.0.2.1")] * (MAX_STALLED_PER_CLIENT + 2)
    assert sorted(select_excess(stalled)) == [0, 1]


def test_clients_behind_one_proxy_share_only_the_total() -> None:
    assert select_excess([(1.0, "")] * MAX_STALLED) == []
    assert len(select_excess([(1.0, "")] * (MAX_STALLED + 1))) == 1
