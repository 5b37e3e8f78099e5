"""Events, approvals, jobs and deliveries at the same moment, on a real PostgreSQL."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from functools import partial

import pytest

from tests.support.depth import rounds
from tests.support.hosted_world import HostedWorld
from tests.support.threads import Racers
from visual_review.builds.comparing.base_branch_change import apply_base_branch_change
from visual_review.builds.comparing.complete import complete_build
from visual_review.builds.comparing.measure import measure_build
from visual_review.builds.models import Baseline, BaselineVersion, Build, PullRequest, ReviewEntry
from visual_review.builds.pull_requests.ordering import PullRequestSnapshot
from visual_review.builds.pull_requests.tracking import record_event
from visual_review.kernel.errors import ConflictError

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.search]

ROUNDS = rounds(4, 30)
START = datetime(2026, 3, 1, tzinfo=UTC)


def change_base_branch(world: HostedWorld, base: str, minute: int) -> None:
    news = PullRequestSnapshot(
        number=1, base_branch=base, updated_at=START + timedelta(minutes=minute)
    )
    apply_base_branch_change(record_event(world.stored_repository, news).pull_request)


def approve(world: HostedWorld, build: Build) -> bool:
    try:
        world.approve(build)
    except ConflictError:
        return False
    return True


def process(build: Build) -> None:
    """Process as a worker does, whether anything is left to do or not."""
    row = Build.objects.select_related("repository", "product").get(pk=build.pk)
    complete_build(row.id, measure_build(row))


def in_turn(*steps: Callable[[], object]) -> Callable[[], list[object]]:
    return lambda: [step() for step in steps]


def test_an_approval_during_a_change_of_the_base_branch_decides_what_it_saw_or_nothing(
    world: HostedWorld, four_threads: Racers
) -> None:
    for number in range(ROUNDS):
        branch = f"round-{number}"
        shots = {"a": "blue", "same": "white"}
        PullRequest.objects.all().delete()
        # Or the decision of an earlier round would be carried over.
        ReviewEntry.objects.all().delete()
        build = world.publish(shots, branch, target="main")
        targets = Baseline.objects.filter(branch__in=("main", "release"))
        before = set(targets.values_list("branch", "last_version"))
        results = four_threads.race(
            in_turn(partial(approve, world, build)),
            in_turn(partial(change_base_branch, world, "release", number)),
            in_turn(partial(process, build)),
            in_turn(
                partial(change_base_branch, world, "release", number),
                partial(process, build),
            ),
        )
        process(build)
        row = world.fresh(build)
        # Neither target's baseline moves, whoever comes first.
        assert set(targets.values_list("branch", "last_version")) == before
        assert (row.status, row.base_branch) == ("completed", "release")
        assert row.baseline == Baseline.objects.get(branch="release")
        versions = BaselineVersion.objects.filter(build=build).count()
        assert versions == int(results[0] == [True])
        seen = ReviewEntry.objects.filter(build=build, story_id="a", source="user").first()
        if seen is not None and seen.baseline == row.baseline:
            # Approved after the second comparison.
            assert row.review_state == "approved"
        else:
            assert row.review_state == "unreviewed"


def test_two_base_branches_at_once_end_with_the_newer_one(
    world: HostedWorld, four_threads: Racers
) -> None:
    build = world.publish_change({"a": "blue", "same": "white"})
    for number in range(ROUNDS):
        newest = ("main", "release")[number % 2]
        other = ("release", "main")[number % 2]
        four_threads.race(
            in_turn(partial(change_base_branch, world, other, 2 * number)),
            in_turn(partial(change_base_branch, world, newest, 2 * number + 1)),
            in_turn(partial(process, build)),
            in_turn(partial(process, build)),
        )
        process(build)
        row = world.fresh(build)
        assert (row.status, row.base_branch) == ("completed", newest)
        assert row.baseline == Baseline.objects.get(branch=newest)
        shot = world.shot(build, "a")
        shown = {"main": "red", "release": "green"}[newest]
        assert world._color(shot.baseline_image_id or 0) == shown  # noqa: SLF001 - The world's own names of pictures.


def test_an_approval_during_the_event_of_the_merge_always_reaches_the_base_branch(
    world: HostedWorld, four_threads: Racers
) -> None:
    for number in range(ROUNDS):
        shots = {"a": "red", "same": "white", f"story-{number}": "blue"}
        PullRequest.objects.all().delete()
        build = world.publish(shots, f"round-{number}", target="main")
        target = world.publish(shots, "main", commit="2" * 40)
        merged = PullRequestSnapshot(
            number=1,
            state="merged",
            base_branch="main",
            merge_commit="2" * 40,
            updated_at=START + timedelta(minutes=number),
        )
        four_threads.race(
            in_turn(partial(approve, world, build)),
            in_turn(partial(record_event, world.stored_repository, merged)),
        )
        world.run_jobs()
        row = world.fresh(target)
        assert (row.review_state, row.decision_source) == ("approved", "carried_over")
