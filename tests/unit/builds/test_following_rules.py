"""News of a pull request in any order, repeated, and without a time."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import reduce

from hypothesis import given
from hypothesis import strategies as st

from visual_review.builds.pull_requests.ordering import (
    PullRequestSnapshot,
    newest,
    order_is_uncertain,
    snapshot_after_refresh,
)
from visual_review.builds.reviewing.carry_over_rules import (
    EarlierDecision,
    PairDecision,
    PairHistory,
    stays,
)

START = datetime(2026, 3, 1, tzinfo=UTC)
times = st.one_of(
    st.none(), st.integers(0, 4).map(lambda minutes: START + timedelta(minutes=minutes))
)
news = st.builds(
    PullRequestSnapshot,
    number=st.just(7),
    title=st.sampled_from(["Buttons", "Round buttons"]),
    state=st.sampled_from(["open", "closed", "merged"]),
    base_branch=st.sampled_from(["main", "release"]),
    merge_commit=st.sampled_from(["", "c" * 40]),
    updated_at=times,
)


def at(minute: int, **facts: str) -> PullRequestSnapshot:
    return PullRequestSnapshot(number=7, updated_at=START + timedelta(minutes=minute), **facts)  # type: ignore[arg-type]


def known_after(told: list[PullRequestSnapshot]) -> PullRequestSnapshot | None:
    start: PullRequestSnapshot | None = None
    return reduce(newest, told, start)


@given(
    st.lists(news, min_size=1, max_size=6).flatmap(
        lambda told: st.tuples(st.just(told), st.permutations([*told, *told]))
    )
)
def test_any_order_and_repetition_of_news_ends_in_the_same(
    cases: tuple[list[PullRequestSnapshot], list[PullRequestSnapshot]],
) -> None:
    told, mixed = cases
    assert known_after(mixed) == known_after(told)


@given(st.lists(news, min_size=1, max_size=6))
def test_no_news_bring_an_older_moment_back(told: list[PullRequestSnapshot]) -> None:
    known = known_after(told)
    assert known is not None
    of_its_kind = [one for one in told if (one.state == "merged") == (known.state == "merged")]
    dated = [one.updated_at for one in of_its_kind if one.updated_at is not None]
    assert known.updated_at == (max(dated) if dated else None)


def test_a_merged_pull_request_stays_merged_whatever_the_clock_says() -> None:
    assert newest(at(1, state="merged"), at(5, state="open")).state == "merged"
    assert newest(at(5, state="open"), at(1, state="merged")).state == "merged"


def test_a_reopened_pull_request_is_open_and_late_news_of_its_closing_change_nothing() -> None:
    reopened = newest(newest(at(1), at(2, state="closed")), at(3))
    assert newest(reopened, at(2, state="closed")).state == "open"


def test_the_host_is_asked_where_news_leave_something_open() -> None:
    assert order_is_uncertain(at(1, base_branch="main"), at(1, base_branch="release"))
    assert order_is_uncertain(None, replace(at(1), updated_at=None))
    assert order_is_uncertain(at(1), at(2, state="merged"))
    assert not order_is_uncertain(at(1), at(2, state="merged", merge_commit="c" * 40))
    assert not order_is_uncertain(at(1), at(1))
    assert not order_is_uncertain(at(1), at(2, base_branch="release"))


def test_an_answer_of_the_host_counts_unless_newer_news_came_meanwhile() -> None:
    known = at(2, base_branch="main")
    assert snapshot_after_refresh(known, at(2, base_branch="release")).base_branch == "release"
    assert snapshot_after_refresh(known, at(1, base_branch="release")) == known
    undated = replace(at(1, base_branch="release"), updated_at=None)
    assert snapshot_after_refresh(known, undated) == replace(undated, updated_at=known.updated_at)
    assert snapshot_after_refresh(None, undated) == undated


def history(last: PairDecision | None = None, *, former: bool = False) -> PairHistory:
    return PairHistory(last=last, left_since=None, right_was_baseline=former)


def test_a_decision_stays_with_its_pair_unless_the_new_target_knows_better() -> None:
    approved = EarlierDecision("approved", START, same_pair=True, screenshot_id="shot_1")
    rejected = replace(approved, decision="rejected")
    assert stays(approved, history())
    assert stays(rejected, history(former=True))
    assert not stays(approved, history(former=True))
    assert not stays(replace(approved, same_pair=False), history())
    before = PairDecision(approved=False, decided_at=START - timedelta(1), screenshot_id="")
    later = PairDecision(approved=False, decided_at=START + timedelta(1), screenshot_id="")
    assert stays(approved, history(before))
    assert not stays(approved, history(later))
    # Its own place in the log, written after it.
    assert stays(rejected, history(replace(later, screenshot_id="shot_1")))
