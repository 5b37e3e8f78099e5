"""Baselines of deleted branches: which end, when, and the versions kept in every case of doubt."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from procrastinate.contrib.django.models import ProcrastinateJob

from tests.support.hosted_world import NAME, HostedWorld
from visual_review.audit.models import AuditEntry
from visual_review.builds.models import Baseline, BaselineEntry, BaselineVersion, Build, ReviewEntry
from visual_review.builds.retention import baselines
from visual_review.builds.retention.baselines import DETACHED, delete_detached_baseline
from visual_review.hosts.errors import HostBusyError
from visual_review.jobs.hosts.check_branches import check_branches
from visual_review.jobs.upkeep.sweep_retention import enqueue_deletions, sweep
from visual_review.kernel.blobs import blob_store
from visual_review.kernel.clock import now
from visual_review.kernel.errors import NotFoundError
from visual_review.repositories.models import HostAccount, Repository, Retention

pytestmark = pytest.mark.django_db
RELEASE = {"a": "green", "same": "white"}


@pytest.fixture
def gone(world: HostedWorld) -> HostedWorld:
    """The branch ``release`` was deleted longer ago than the retention period."""
    Retention.objects.create(organization=world.persona.organization, builds_days=30)
    world.host.delete_branch(NAME, "release")
    world.deliver_webhooks()
    pass_days(31)
    return world


def pass_days(days: int) -> None:
    by = timedelta(days=days)
    for baseline in Baseline.objects.exclude(branch_deleted_at=None):
        baseline.branch_deleted_at = (baseline.branch_deleted_at or now()) - by
        baseline.save()
    Build.objects.update(created_at=now() - by)


def check(world: HostedWorld) -> set[str]:
    """Ask the provider about the branches; return the branches with a baseline afterwards."""
    check_branches(world.repository.id)
    return set(Baseline.objects.filter(last_version__gte=1).values_list("branch", flat=True))


def delete_rows() -> None:
    for baseline in Baseline.objects.filter(head_repository=DETACHED):
        delete_detached_baseline(baseline.product.repository.organization_id, baseline.id)


def test_a_deleted_branch_loses_its_baseline_after_the_period(gone: HostedWorld) -> None:
    baseline = Baseline.objects.get(branch="release")
    assert check(gone) == {"main"}
    entry = AuditEntry.objects.get(verb="baseline.retired")
    assert (entry.target_id, entry.target_name) == (baseline.id, "acme/web release")
    assert entry.actor_kind == "system"
    delete_rows()
    assert not BaselineEntry.objects.filter(baseline=baseline.id).exists()
    assert not BaselineVersion.objects.filter(baseline=baseline.id).exists()
    assert not Baseline.objects.filter(pk=baseline.id).exists()
    assert gone.baseline() == {"a": "red", "same": "white"}
    # A build of a branch with the same name is compared with the default branch.
    build = gone.publish(RELEASE, "release")
    assert build.baseline_rule == "default_branch"
    gone.approve(build)
    assert gone.baseline("release") == RELEASE
    assert check(gone) == {"main", "release"}


def test_its_images_are_deleted_unless_another_baseline_has_them(gone: HostedWorld) -> None:
    stored = set(blob_store().keys("images"))
    check(gone)
    delete_rows()
    # Longer than an approval may still be carried over.
    pass_days(400)
    sweep(now() + timedelta(days=8), blob_store())
    left = set(blob_store().keys("images"))
    # Green was only in the release branch; white is in both.
    assert left < stored
    assert len(left) == len(stored) - 1


def test_until_then_it_can_be_restored(gone: HostedWorld) -> None:
    gone.approve(gone.publish({"a": "blue", "same": "white"}, "release"))
    gone.host.delete_branch(NAME, "release")
    Baseline.objects.filter(branch="release").update(branch_deleted_at=now() - timedelta(days=29))
    assert check(gone) == {"main", "release"}
    baseline = Baseline.objects.get(branch="release")
    gone.act("restore_baseline", baselineId=baseline.id, version=1)
    assert gone.baseline("release") == RELEASE
    pass_days(2)
    check(gone)
    with pytest.raises(NotFoundError):
        gone.act("restore_baseline", baselineId=baseline.id, version=1)


def recreate_branch(gone: HostedWorld) -> None:
    gone.host.open_pull_request(NAME, "release", "2" * 40)


def target_branch(gone: HostedWorld) -> None:
    gone.host.change_base_branch(NAME, 1, "release")
    gone.deliver_webhooks()


def publish_build(gone: HostedWorld) -> None:
    gone.publish(RELEASE, "release")


def begin_build(gone: HostedWorld) -> None:
    gone.upload(RELEASE, "release")


def keep_for_ever(gone: HostedWorld) -> None:
    Repository.objects.filter(pk=gone.repository.pk).update(keep_builds_days=0)


def disconnect(gone: HostedWorld) -> None:
    Repository.objects.filter(pk=gone.repository.pk).update(host_account=None)


def make_default(gone: HostedWorld) -> None:
    Repository.objects.filter(pk=gone.repository.pk).update(default_branch="release")


def remove_repository(gone: HostedWorld) -> None:
    gone.host.remove_repository(NAME)


def hide_branches(gone: HostedWorld) -> None:
    gone.host.add_fault("missing", "has_branch")


def refuse(gone: HostedWorld) -> None:
    gone.host.add_fault("refused", "has_branch")


def answer_with_a_page(gone: HostedWorld) -> None:
    gone.host.add_fault("html", "has_branch")


def lose_access_to_repositories(gone: HostedWorld) -> None:
    gone.host.add_fault("refused", "get_repository")


KEPT: tuple[Callable[[HostedWorld], None], ...] = (
    *(recreate_branch, target_branch, publish_build, begin_build, keep_for_ever, disconnect),
    *(make_default, remove_repository, hide_branches, refuse, answer_with_a_page),
    lose_access_to_repositories,
)


@pytest.mark.parametrize("happens", KEPT)
def test_in_doubt_the_baseline_is_kept(
    gone: HostedWorld, happens: Callable[[HostedWorld], None]
) -> None:
    happens(gone)
    assert check(gone) == {"main", "release"}
    assert gone.baseline("release") == RELEASE
    # A refused question says nothing about the account.
    assert HostAccount.objects.get().problem == ""


def test_a_provider_that_is_down_is_asked_again(gone: HostedWorld) -> None:
    gone.host.add_fault("busy", "has_branch")
    with pytest.raises(HostBusyError):
        check_branches(gone.repository.id)
    gone.host.clear_faults()
    assert check(gone) == {"main"}


def test_a_branch_that_came_back_counts_as_deleted_from_its_next_deletion(
    gone: HostedWorld,
) -> None:
    recreate_branch(gone)
    check(gone)
    assert Baseline.objects.get(branch="release").branch_deleted_at is None
    gone.host.delete_branch(NAME, "release")
    assert check(gone) == {"main", "release"}
    pass_days(31)
    assert check(gone) == {"main"}


def test_a_deletion_that_no_webhook_reported_is_found(world: HostedWorld) -> None:
    Retention.objects.create(organization=world.persona.organization, builds_days=30)
    world.host.delete_branch(NAME, "release")
    world.host.take_events()
    # A branch with newer builds is not asked about.
    assert check(world) == {"main", "release"}
    assert world.host.calls("has_branch") == []
    pass_days(8)
    check(world)
    assert Baseline.objects.get(branch="release").branch_deleted_at is not None
    # The period begins when the deletion is known.
    pass_days(29)
    assert check(world) == {"main", "release"}
    pass_days(2)
    assert check(world) == {"main"}


def test_a_merged_branch_ends_only_once_it_is_deleted(world: HostedWorld) -> None:
    Retention.objects.create(organization=world.persona.organization, builds_days=30)
    world.approve(world.publish_change({"a": "blue", "same": "white"}))
    world.host.merge_pull_request(NAME, 1)
    world.deliver_webhooks()
    pass_days(60)
    assert "feature" in check(world)
    world.host.delete_branch(NAME, "feature")
    check(world)
    pass_days(31)
    assert "feature" not in check(world)


def test_the_branch_of_a_fork_ends_alike(world: HostedWorld) -> None:
    Retention.objects.create(organization=world.persona.organization, builds_days=30)
    world.host.add_repository("eve/web")
    for fork in ("eve/web", "mallory/private"):
        world.approve(world.publish(RELEASE, "fix", fork=fork))
    pass_days(8)
    check(world)
    pass_days(31)
    check(world)
    # A repository invisible to the account may exist.
    forks = Baseline.objects.filter(branch="fix", last_version__gte=1)
    assert set(forks.values_list("head_repository", flat=True)) == {"mallory/private"}


def test_the_rows_wait_for_builds_that_are_compared_with_them(gone: HostedWorld) -> None:
    check(gone)
    baseline = Baseline.objects.get(head_repository=DETACHED)
    # Created while the baseline was being detached.
    build = gone.upload(RELEASE, "other")
    Build.objects.filter(pk=build.pk).update(baseline=baseline, baseline_version=1)
    delete_rows()
    assert gone.finish(build).unchanged_count == 2
    delete_rows()
    assert not Baseline.objects.filter(pk=baseline.pk).exists()
    assert gone.fresh(build).baseline is None


class KilledError(Exception):
    """Simulates a kill between two statements."""


@pytest.mark.parametrize(
    "statement",
    [
        'DELETE FROM "builds_baselineentry"',
        'UPDATE "builds_reviewentry"',
        'UPDATE "builds_build"',
        'DELETE FROM "builds_baseline" ',
    ],
)
def test_an_interrupted_deletion_is_finished_by_the_next_night(
    gone: HostedWorld, statement: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(baselines, "ROWS_AT_ONCE", 1)
    Build.objects.filter(branch="release").update(
        baseline=Baseline.objects.get(branch="release"), baseline_version=1
    )
    ReviewEntry.objects.filter(build__branch="release").update(
        baseline=Baseline.objects.get(branch="release")
    )
    check(gone)

    def kill(execute: Callable[..., Any], sql: str, *rest: Any) -> Any:  # noqa: ANN401 - Django's.
        if sql.startswith(statement):
            raise KilledError
        return execute(sql, *rest)

    with connection.execute_wrapper(kill), pytest.raises(KilledError):
        delete_rows()
    ProcrastinateJob.objects.all()._raw_delete("default")  # noqa: SLF001 - The model is read-only.
    enqueue_deletions(now())
    job = ProcrastinateJob.objects.get(task_name="delete_baseline")
    delete_detached_baseline(**job.args)
    assert set(Baseline.objects.values_list("branch", flat=True)) == {"main"}
    assert gone.baseline() == {"a": "red", "same": "white"}
