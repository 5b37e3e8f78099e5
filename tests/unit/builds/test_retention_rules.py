from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from visual_review.builds.retention.rules import LONGEST_LIMIT_DAYS, Facts, kept_because

BEFORE = datetime(2026, 6, 1, tzinfo=UTC)
moments = st.timedeltas(timedelta(days=-500), timedelta(days=500)).map(lambda by: BEFORE + by)
builds = st.builds(
    Facts,
    created_at=moments,
    under_way=st.booleans(),
    sets_baseline=st.booleans(),
    rejects_again=st.booleans(),
    awaits_decision=st.booleans(),
    may_be_carried=st.booleans(),
    ended=st.booleans(),
)


def old(days: int = 1, **facts: bool) -> Facts:
    return Facts(created_at=BEFORE - timedelta(days=days), **facts)


def test_an_old_build_that_nobody_needs_goes_and_a_young_one_stays() -> None:
    assert kept_because(old(), BEFORE) is None
    assert kept_because(Facts(created_at=BEFORE), BEFORE) == "young"


@given(builds)
def test_a_build_that_a_baseline_stands_on_or_that_is_under_way_never_goes(build: Facts) -> None:
    if build.sets_baseline or build.under_way:
        assert kept_because(build, BEFORE) is not None


@given(builds)
def test_nothing_younger_than_the_limit_goes(build: Facts) -> None:
    if build.created_at >= BEFORE:
        assert kept_because(build, BEFORE) is not None


@given(builds)
def test_what_may_still_be_needed_stays_for_a_while_unless_its_pull_request_ended(
    build: Facts,
) -> None:
    needed = build.awaits_decision or build.may_be_carried
    plain = not (build.under_way or build.sets_baseline or build.rejects_again)
    if plain and build.created_at < BEFORE:
        held = build.created_at >= BEFORE - LONGEST_LIMIT_DAYS
        assert (kept_because(build, BEFORE) is not None) == (needed and held and not build.ended)


@given(builds)
def test_a_rejection_stays_as_long_as_what_it_takes_back(build: Facts) -> None:
    if build.rejects_again:
        assert kept_because(build, BEFORE) is not None


@given(builds, st.timedeltas(timedelta(0), timedelta(days=400)))
def test_what_goes_by_a_limit_goes_by_every_later_one(build: Facts, by: timedelta) -> None:
    if kept_because(build, BEFORE) is None:
        assert kept_because(build, BEFORE + by) is None
