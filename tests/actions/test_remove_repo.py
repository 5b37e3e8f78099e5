from datetime import timedelta

import pytest
from procrastinate.contrib.django.models import ProcrastinateJob

from tests.support.action_calls import act, error_of, only_entry
from tests.support.personas import Personas
from tests.support.worlds import World
from visual_review.audit.models import AuditEntry
from visual_review.billing.models import ChargePeriod
from visual_review.jobs.upkeep.resume_removals import resume_lost_removals
from visual_review.kernel.clock import now
from visual_review.kernel.errors import ForbiddenError, NotFoundError, UnauthenticatedError
from visual_review.recordings.models import Enrollment
from visual_review.repositories.models import Repository
from visual_review.repositories.tokens import caller_of_project_token, mint_token


def test_a_removed_repository_is_hidden_and_its_token_revoked(world: World) -> None:
    build = world.publish({"a": "red"})
    shot = world.shot(build, "a").id
    token = mint_token(world.repository)
    repo_id = world.repository.id
    result = act(world.persona, "remove_repo", repoId=repo_id)
    assert (result.repo_id, result.full_name, result.removed) == (repo_id, "acme/web", True)
    assert act(world.persona, "list_repos").repos == []
    error_of(NotFoundError, world.persona, "list_builds", repoId=repo_id)
    error_of(NotFoundError, world.persona, "get_build", buildId=build.id)
    error_of(NotFoundError, world.persona, "approve_build", buildId=build.id)
    error_of(NotFoundError, world.persona, "review_screenshot", screenshotId=shot, state="approved")
    with pytest.raises(UnauthenticatedError):
        caller_of_project_token(token)


def test_the_deletion_is_queued_in_the_same_transaction(world: World) -> None:
    act(world.persona, "remove_repo", repoId=world.repository.id)
    job = ProcrastinateJob.objects.get(task_name="remove_repository")
    assert job.args == {"repository_id": world.repository.id}


def test_a_removal_is_logged(world: World) -> None:
    act(world.persona, "remove_repo", repoId=world.repository.id)
    entry = only_entry("repository.removed")
    assert (entry.target_id, entry.target_name) == (world.repository.id, "acme/web")
    assert entry.before == {"fullName": "acme/web", "defaultBranch": "main", "builds": 0}


def test_removed_foreign_and_unknown_repositories_are_not_found(
    world: World, personas: Personas
) -> None:
    foreign = World(personas.mallory, "evil/web").repository
    act(world.persona, "remove_repo", repoId=world.repository.id)
    for unknown in (world.repository.id, foreign.id, "repo_none"):
        error_of(NotFoundError, world.persona, "remove_repo", repoId=unknown)
    foreign.refresh_from_db()
    assert foreign.removed_at is None


def test_a_reviewer_is_forbidden(world: World, personas: Personas) -> None:
    error_of(ForbiddenError, personas.bob, "remove_repo", repoId=world.repository.id)


def test_removing_ends_the_charge_for_recordings(world: World) -> None:
    act(world.persona, "enable_recordings", repoId=world.repository.id)
    act(world.persona, "remove_repo", repoId=world.repository.id)
    charge = ChargePeriod.objects.get()
    assert charge.ended_at is not None
    assert charge.ended_by_name == "Alice"
    assert not Enrollment.objects.filter(enabled=True).exists()
    verbs = list(AuditEntry.objects.order_by("id").values_list("verb", flat=True))
    assert verbs == ["recordings.enabled", "recordings.disabled", "repository.removed"]


def test_a_lost_removal_job_is_queued_again(world: World) -> None:
    act(world.persona, "remove_repo", repoId=world.repository.id)
    long_ago = now() - timedelta(hours=1)
    Repository.objects.filter(pk=world.repository.id).update(removed_at=long_ago)
    assert resume_lost_removals() == 0
    ProcrastinateJob.objects.all().delete()
    assert resume_lost_removals() == 1
    job = ProcrastinateJob.objects.get(task_name="remove_repository")
    assert job.args == {"repository_id": world.repository.id}
    assert resume_lost_removals() == 0


def test_recent_removals_and_connected_repositories_are_left_alone(world: World) -> None:
    World(world.persona, "acme/docs")
    act(world.persona, "remove_repo", repoId=world.repository.id)
    ProcrastinateJob.objects.all().delete()
    assert resume_lost_removals() == 0
