"""The order of waiting transactions: no deadlock, and no approval is overlooked."""

from datetime import UTC, datetime, timedelta
from threading import Event

import pytest
from django.db import transaction
from procrastinate.contrib.django.models import ProcrastinateJob

from tests.support.hosted_world import HostedWorld
from tests.support.threads import (
    WAIT_SECONDS,
    Racers,
    wait_until_another_waits_for_me,
)
from visual_review.audit.log import SYSTEM
from visual_review.builds.comparing.base_branch_change import apply_base_branch_change
from visual_review.builds.models import Baseline, Build, PullRequest
from visual_review.builds.publishing.finish import finish_shard
from visual_review.builds.pull_requests.ordering import PullRequestSnapshot
from visual_review.builds.pull_requests.tracking import record_branch_deleted, record_event
from visual_review.builds.reviewing.approval import Decider
from visual_review.builds.reviewing.decide import decide
from visual_review.builds.reviewing.requests import CONFIRMED, DecisionRequest, Selection
from visual_review.builds.source import BranchKey
from visual_review.kernel.clock import now

pytestmark = pytest.mark.django_db(transaction=True)
START = datetime(2026, 3, 1, tzinfo=UTC)

APPROVE = DecisionRequest("approved", Selection(whole_build=True), confirmed=CONFIRMED)


def test_a_deleted_branch_published_again_during_an_approval_of_its_older_build(
    world: HostedWorld, two_threads: Racers
) -> None:
    older = world.publish({"a": "blue", "same": "white"}, "release")
    newer = world.upload({"a": "black", "same": "white"}, "release")
    record_branch_deleted(world.stored_repository, BranchKey("release"))
    locked = Event()

    def approve() -> str:
        with transaction.atomic():
            Baseline.objects.select_for_update(no_key=True).get(branch="release")
            locked.set()
            wait_until_another_waits_for_me()
            return decide(
                older.repository.organization_id, older.id, APPROVE, Decider(source="user")
            ).build.review_state

    def publish() -> str:
        assert locked.wait(WAIT_SECONDS)
        return finish_shard(world.repository, newer.id, 1, SYSTEM).status

    assert two_threads.race(approve, publish) == ["approved", "processing"]
    baseline = Baseline.objects.get(branch="release")
    assert baseline.branch_deleted_at is None
    # The older build was decided before the newer one was published.
    assert Build.objects.get(pk=older.pk).superseded_by_id is None


def test_a_merge_noted_during_an_approval_waits_for_it(
    world: HostedWorld, two_threads: Racers
) -> None:
    shots = {"a": "blue", "same": "white"}
    build = world.publish_change(shots)
    target = world.publish(shots, "main", commit="2" * 40)
    world.run_jobs()
    approved = Event()

    def approve() -> None:
        with transaction.atomic():
            decide(build.repository.organization_id, build.id, APPROVE, Decider(source="user"))
            approved.set()
            wait_until_another_waits_for_me()

    def merge() -> None:
        assert approved.wait(WAIT_SECONDS)
        merged = PullRequestSnapshot(number=1, state="merged", base_branch="main", updated_at=now())
        record_event(world.stored_repository, merged)
        # The job of the merge, as early as possible.
        world.run_jobs()

    two_threads.race(approve, merge)
    assert world.fresh(target).decision_source == "carried_over"


def test_an_approval_during_the_completion_of_the_targets_build_reaches_it(
    world: HostedWorld, two_threads: Racers
) -> None:
    shots = {"a": "blue", "same": "white"}
    build = world.publish_change(shots)
    target = world.upload(shots, "main", commit="2" * 40)
    finish_shard(world.repository, target.id, 1, SYSTEM)
    merged = PullRequestSnapshot(number=1, state="merged", base_branch="main", updated_at=now())
    record_event(world.stored_repository, merged)
    ProcrastinateJob.objects.all()._raw_delete("default")  # noqa: SLF001 - The model is read-only.
    looked = Event()

    def complete_target() -> None:
        with transaction.atomic():
            world.process(target)
            looked.set()
            wait_until_another_waits_for_me()

    def approve() -> None:
        assert looked.wait(WAIT_SECONDS)
        world.approve(build)
        world.run_jobs()

    two_threads.race(complete_target, approve)
    assert world.fresh(target).decision_source == "carried_over"


def test_a_base_branch_changed_back_during_a_change_is_the_one_compared_with(
    world: HostedWorld, two_threads: Racers
) -> None:
    build = world.publish_change({"a": "blue", "same": "white"})
    started = Event()

    def change_to(base_branch: str, minute: int) -> PullRequest:
        changed = PullRequestSnapshot(
            number=1, base_branch=base_branch, updated_at=START + timedelta(minutes=minute)
        )
        return record_event(world.stored_repository, changed).pull_request

    row = change_to("release", 1)

    def change() -> None:
        with transaction.atomic():
            assert apply_base_branch_change(row) == [build.id]
            started.set()
            wait_until_another_waits_for_me()

    def change_back() -> None:
        assert started.wait(WAIT_SECONDS)
        assert apply_base_branch_change(change_to("main", 2)) == [build.id]

    two_threads.race(change, change_back)
    assert world.fresh(build).base_branch == "main"
