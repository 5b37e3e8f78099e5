"""Events of a pull request in any order, repeated, and without a time."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import reduce

from hypothesis import given
from hypothesis import strategies as st

from visual_review.builds.pull_requests.ordering import (
    PullRequestSnapshot,
    newest_snapshot,
    order_is_uncertain,
    snapshot_after_refresh,
)
from visual_review.builds.reviewing.carry_over_rules import (
    EarlierDecision,
    PairDecision,
    PairHistory,
    still_holds,
)

START = datetime(2026, 3, 1, tzinfo=UTC)
times = st.one_of(
    st.none(), st.integers(0, 4).map(lambda minutes: START + timedelta(minutes=minutes))
)
snapshots = st.builds(
    PullRequestSnapshot,
    number=st.just(7),
    title=st.sampled_from(["Buttons", "Round buttons"]),
    state=st.sampled_from(["open", "closed", "merged"]),
    base_branch=st.sampled_from(["main", "release"]),
    merge_commit=st.sampled_from(["", "c" * 40]),
    updated_at=times,
)


def at(minute: int, **fields: str) -> PullRequestSnapshot:
    return PullRequestSnapshot(number=7, updated_at=START + timedelta(minutes=minute), **fields)  # type: ignore[arg-type]


def known_after(events: list[PullRequestSnapshot]) -> PullRequestSnapshot | None:
    start: PullRequestSnapshot | None = None
    return reduce(newest_snapshot, events, start)


@given(
    st.lists(snapshots, min_size=1, max_size=6).flatmap(
        lambda events: st.tuples(st.just(events), st.permutations([*events, *events]))
    )
)
def test_events_in_any_order_and_repeated_have_the_same_result(
    cases: tuple[list[PullRequestSnapshot], list[PullRequestSnapshot]],
) -> None:
    events, mixed = cases
    assert known_after(mixed) == known_after(events)


@given(st.lists(snapshots, min_size=1, max_size=6))
def test_no_event_restores_an_older_state(events: list[PullRequestSnapshot]) -> None:
    known = known_after(events)
    assert known is not None
    same_kind = [one for one in events if (one.state == "merged") == (known.state == "merged")]
    dated = [one.updated_at for one in same_kind if one.updated_at is not None]
    assert known.updated_at == (max(dated) if dated else None)


def test_a_merged_pull_request_stays_merged_whatever_the_clock_says() -> None:
    assert newest_snapshot(at(1, state="merged"), at(5, state="open")).state == "merged"
    assert newest_snapshot(at(5, state="open"), at(1, state="merged")).state == "merged"


def test_a_late_closing_event_does_not_close_a_reopened_pull_request() -> None:
    reopened = newest_snapshot(newest_snapshot(at(1), at(2, state="closed")), at(3))
    assert newest_snapshot(reopened, at(2, state="closed")).state == "open"


def test_the_api_is_asked_when_events_are_ambiguous() -> None:
    assert order_is_uncertain(at(1, base_branch="main"), at(1, base_branch="release"))
    assert order_is_uncertain(None, replace(at(1), updated_at=None))
    assert order_is_uncertain(at(1), at(2, state="merged"))
    assert not order_is_uncertain(at(1), at(2, state="merged", merge_commit="c" * 40))
    assert not order_is_uncertain(at(1), at(1))
    assert not order_is_uncertain(at(1), at(2, base_branch="release"))


def test_the_apis_response_wins_unless_a_newer_event_arrived() -> None:
    known = at(2, base_branch="main")
    assert snapshot_after_refresh(known, at(2, base_branch="release")).base_branch == "release"
    assert snapshot_after_refresh(known, at(1, base_branch="release")) == known
    undated = replace(at(1, base_branch="release"), updated_at=None)
    assert snapshot_after_refresh(known, undated) == replace(undated, updated_at=known.updated_at)
    assert snapshot_after_refresh(None, undated) == undated


def history(last: PairDecision | None = None, *, former: bool = False) -> PairHistory:
    return PairHistory(last=last, left_since=None, right_was_baseline=former)


def test_a_decision_holds_for_its_pair_unless_the_new_base_branch_has_a_later_one() -> None:
    approved = EarlierDecision("approved", START, same_pair=True, screenshot_id="shot_1")
    rejected = replace(approved, decision="rejected")
    assert still_holds(approved, history())
    assert still_holds(rejected, history(former=True))
    assert not still_holds(approved, history(former=True))
    assert not still_holds(replace(approved, same_pair=False), history())
    before = PairDecision(approved=False, decided_at=START - timedelta(1), screenshot_id="")
    later = PairDecision(approved=False, decided_at=START + timedelta(1), screenshot_id="")
    assert still_holds(approved, history(before))
    assert not still_holds(approved, history(later))
    # The screenshot's own entry in the log, written later.
    assert still_holds(rejected, history(replace(later, screenshot_id="shot_1")))
