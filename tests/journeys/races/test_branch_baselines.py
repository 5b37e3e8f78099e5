"""The baseline of a deleted branch ends while someone publishes or approves on the branch."""

from datetime import timedelta

import pytest

from tests.support.depth import rounds
from tests.support.personas import Personas
from tests.support.threads import Racers
from tests.support.worlds import World
from visual_review.builds.models import Baseline, Build
from visual_review.builds.retention.baselines import (
    DETACHED,
    delete_detached_baseline,
    retire_baselines,
)
from visual_review.builds.source import BranchKey
from visual_review.kernel.clock import now
from visual_review.kernel.errors import NotFoundError

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.search]

ROUNDS = rounds(4, 20)
MAIN = {"a": "red", "b": "white"}
BRANCH = {"a": "green", "b": "white"}


@pytest.fixture
def world(personas: Personas) -> World:
    world = World(personas.alice)
    world.connect_host()
    world.approve(world.publish(MAIN))
    return world


def fill_gone_branch(world: World, name: str) -> Baseline:
    """Approve a build of a branch, and mark the branch as deleted long ago."""
    world.approve(world.publish(BRANCH, name))
    baseline = Baseline.objects.get(branch=name)
    baseline.branch_deleted_at = now() - timedelta(days=400)
    baseline.save()
    return baseline


def retire(world: World, name: str) -> int:
    return retire_baselines(world.repository, BranchKey(name), now() - timedelta(days=30))


def delete_rows(world: World) -> None:
    for baseline in Baseline.objects.filter(head_repository=DETACHED):
        delete_detached_baseline(world.repository.organization_id, baseline.id)


def test_an_approval_at_this_moment_has_its_whole_set(world: World, two_threads: Racers) -> None:
    for number in range(ROUNDS):
        name = f"b{number}"
        build = world.publish({**BRANCH, "a": "blue"}, name, stories=None)
        baseline = fill_gone_branch(world, name)
        two_threads.race(
            lambda build=build: world.approve(build),  # type: ignore[misc]
            lambda name=name: retire(world, name),  # type: ignore[misc]
        )
        delete_rows(world)
        kept = Baseline.objects.filter(pk=baseline.pk).exists()
        # Approved first and then retired, or retired first: then the branch has a new baseline.
        left = Baseline.objects.filter(branch=name, last_version__gte=1)
        assert kept == left.filter(pk=baseline.pk).exists()
        assert not left.exists() or world.baseline(name) == {**BRANCH, "a": "blue"}
        assert world.baseline() == MAIN


def test_a_publish_at_this_moment_is_compared_with_one_whole_baseline(
    world: World, two_threads: Racers
) -> None:
    for number in range(ROUNDS):
        name = f"b{number}"
        fill_gone_branch(world, name)
        build, retired = two_threads.race(
            lambda name=name: world.publish(BRANCH, name),  # type: ignore[misc]
            lambda name=name: retire(world, name),  # type: ignore[misc]
        )
        delete_rows(world)
        assert isinstance(build, Build)
        build = world.fresh(build)
        assert build.status == "completed"
        own = build.baseline_rule == "own_branch"
        # Compared with main, the change equals the one approved on this branch before.
        changed = "unchanged" if own else "changed approved"
        assert world.states(build) == {"a": changed, "b": "unchanged"}
        # An earlier build of the branch keeps its baseline.
        assert retired or world.baseline(name) == BRANCH


def test_a_restore_at_this_moment_is_kept_or_refused(world: World, two_threads: Racers) -> None:
    for number in range(ROUNDS):
        name = f"b{number}"
        world.approve(world.publish(MAIN, name))
        baseline = fill_gone_branch(world, name)

        def restore(baseline: Baseline = baseline) -> bool:
            try:
                world.act("restore_baseline", baselineId=baseline.id, version=1)
            except NotFoundError:
                return False
            return True

        restored, retired = two_threads.race(restore, lambda name=name: retire(world, name))  # type: ignore[misc]
        # A baseline restored and then retired had the effect of the restore until then.
        assert restored or retired
        assert retired or world.baseline(name) == MAIN
