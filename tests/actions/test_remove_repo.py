import pytest
from procrastinate.contrib.django.models import ProcrastinateJob

from tests.actions.calls import act, only_entry, refused
from tests.personas import Personas
from tests.worlds import World
from visual_review.kernel.errors import ForbiddenError, NotFoundError, UnauthenticatedError
from visual_review.repositories.tokens import caller_of_project_token, mint_token


@pytest.fixture
def world(personas: Personas) -> World:
    return World(personas.alice)


def test_it_is_gone_from_every_list_at_once(world: World) -> None:
    build = world.publish({"a": "red"})
    shot = world.shot(build, "a").id
    token = mint_token(world.repository)
    repo_id = world.repository.id
    result = act(world.persona, "remove_repo", repoId=repo_id)
    assert (result.repo_id, result.full_name, result.removed) == (repo_id, "acme/web", True)
    assert act(world.persona, "list_repos").repos == []
    refused(NotFoundError, world.persona, "list_builds", repoId=repo_id)
    refused(NotFoundError, world.persona, "get_build", buildId=build.id)
    refused(NotFoundError, world.persona, "approve_build", buildId=build.id)
    refused(NotFoundError, world.persona, "review_screenshot", screenshotId=shot, state="approved")
    with pytest.raises(UnauthenticatedError):
        caller_of_project_token(token)


def test_the_deletion_is_queued_in_the_same_transaction(world: World) -> None:
    act(world.persona, "remove_repo", repoId=world.repository.id)
    job = ProcrastinateJob.objects.get(task_name="remove_repository")
    assert job.args == {"repository_id": world.repository.id}


def test_writes_the_log(world: World) -> None:
    act(world.persona, "remove_repo", repoId=world.repository.id)
    entry = only_entry("repository.removed")
    assert (entry.target_id, entry.target_name) == (world.repository.id, "acme/web")
    assert entry.before == {"fullName": "acme/web", "defaultBranch": "main", "builds": 0}


def test_a_second_time_and_foreign_ones_are_not_found(world: World, personas: Personas) -> None:
    foreign = World(personas.mallory, "evil/web").repository
    act(world.persona, "remove_repo", repoId=world.repository.id)
    for unknown in (world.repository.id, foreign.id, "repo_none"):
        refused(NotFoundError, world.persona, "remove_repo", repoId=unknown)
    foreign.refresh_from_db()
    assert foreign.removed_at is None


def test_a_reviewer_may_not(world: World, personas: Personas) -> None:
    refused(ForbiddenError, personas.bob, "remove_repo", repoId=world.repository.id)
