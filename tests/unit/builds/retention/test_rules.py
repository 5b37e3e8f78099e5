from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from visual_review.builds.retention.rules import MAX_EXTENSION, RetentionCandidate, reason_to_keep

BEFORE = datetime(2026, 6, 1, tzinfo=UTC)
moments = st.timedeltas(timedelta(days=-500), timedelta(days=500)).map(lambda by: BEFORE + by)
builds = st.builds(
    RetentionCandidate,
    created_at=moments,
    in_progress=st.booleans(),
    sets_baseline=st.booleans(),
    blocks_carry_over=st.booleans(),
    awaits_decision=st.booleans(),
    may_be_carried=st.booleans(),
    pull_request_ended=st.booleans(),
)


def old(days: int = 1, **facts: bool) -> RetentionCandidate:
    return RetentionCandidate(created_at=BEFORE - timedelta(days=days), **facts)


def test_an_old_unneeded_build_is_deleted_and_a_recent_one_kept() -> None:
    assert reason_to_keep(old(), BEFORE) is None
    assert reason_to_keep(RetentionCandidate(created_at=BEFORE), BEFORE) == "recent"


@given(builds)
def test_a_baselines_build_and_one_in_progress_are_always_kept(build: RetentionCandidate) -> None:
    if build.sets_baseline or build.in_progress:
        assert reason_to_keep(build, BEFORE) is not None


@given(builds)
def test_no_build_within_the_limit_is_deleted(build: RetentionCandidate) -> None:
    if build.created_at >= BEFORE:
        assert reason_to_keep(build, BEFORE) is not None


@given(builds)
def test_a_build_that_may_be_needed_is_kept_for_a_while_unless_its_pull_request_ended(
    build: RetentionCandidate,
) -> None:
    needed = build.awaits_decision or build.may_be_carried
    plain = not (build.in_progress or build.sets_baseline or build.blocks_carry_over)
    if plain and build.created_at < BEFORE:
        within_extension = build.created_at >= BEFORE - MAX_EXTENSION
        assert (reason_to_keep(build, BEFORE) is not None) == (
            needed and within_extension and not build.pull_request_ended
        )


@given(builds)
def test_a_rejection_is_kept_as_long_as_the_approval_it_overrides(
    build: RetentionCandidate,
) -> None:
    if build.blocks_carry_over:
        assert reason_to_keep(build, BEFORE) is not None


@given(builds, st.timedeltas(timedelta(0), timedelta(days=400)))
def test_a_build_past_a_limit_is_past_every_later_limit(
    build: RetentionCandidate, by: timedelta
) -> None:
    if reason_to_keep(build, BEFORE) is None:
        assert reason_to_keep(build, BEFORE + by) is None
