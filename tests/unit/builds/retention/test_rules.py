from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from visual_review.builds.retention.rules import (
    MAX_EXTENSION,
    BaselineCandidate,
    RetentionCandidate,
    reason_to_keep,
    reason_to_keep_baseline,
)

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


GONE = BaselineCandidate(deleted_at=BEFORE - timedelta(seconds=1))
baselines = st.builds(
    BaselineCandidate,
    deleted_at=st.none() | moments,
    is_default=st.booleans(),
    has_provider=st.booleans(),
    exists_at_provider=st.booleans(),
    is_targeted=st.booleans(),
    in_progress=st.booleans(),
)


@pytest.mark.parametrize(
    ("facts", "reason"),
    [
        ({}, None),
        ({"is_default": True}, "default branch"),
        ({"has_provider": False}, "no provider"),
        ({"exists_at_provider": True}, "branch exists"),
        ({"is_targeted": True}, "open pull request"),
        ({"in_progress": True}, "build in progress"),
        ({"deleted_at": BEFORE}, "recent"),
        ({"deleted_at": None}, "recent"),
    ],
)
def test_one_reason_is_enough_to_keep_a_baseline(
    facts: dict[str, bool | datetime | None], reason: str | None
) -> None:
    assert reason_to_keep_baseline(replace(GONE, **facts), BEFORE) == reason  # type: ignore[arg-type]
    assert reason_to_keep_baseline(replace(GONE, **facts), None) is not None  # type: ignore[arg-type]


@given(baselines, moments)
def test_a_baseline_ends_only_without_any_reason_to_keep_it(
    baseline: BaselineCandidate, before: datetime
) -> None:
    facts = (
        not baseline.is_default,
        baseline.has_provider,
        not baseline.exists_at_provider,
        not baseline.is_targeted,
        not baseline.in_progress,
        baseline.deleted_at is not None and baseline.deleted_at < before,
    )
    assert (reason_to_keep_baseline(baseline, before) is None) == all(facts)
