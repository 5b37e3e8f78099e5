import pytest

from tests.support.action_calls import act, error_of, only_entry
from tests.support.personas import Personas
from tests.support.worlds import World
from visual_review.kernel.errors import ForbiddenError, NotFoundError, UnauthenticatedError
from visual_review.repositories.models import ProjectToken
from visual_review.repositories.tokens import caller_of_project_token, mint_token


def test_the_new_token_works_and_the_old_one_stops_immediately(world: World) -> None:
    old = mint_token(world.repository)
    caller_of_project_token(old)
    result = act(world.persona, "rotate_repo_token", repoId=world.repository.id)
    assert caller_of_project_token(result.project_token).repository_id == world.repository.id
    with pytest.raises(UnauthenticatedError):
        caller_of_project_token(old)
    assert ProjectToken.objects.filter(revoked_at=None).count() == 1


def test_every_earlier_token_stops_working(world: World) -> None:
    tokens = [mint_token(world.repository) for _ in range(3)]
    act(world.persona, "rotate_repo_token", repoId=world.repository.id)
    for token in tokens:
        with pytest.raises(UnauthenticatedError):
            caller_of_project_token(token)


def test_the_audit_entry_contains_only_hints(world: World) -> None:
    old = mint_token(world.repository)
    result = act(world.persona, "rotate_repo_token", repoId=world.repository.id)
    entry = only_entry("repository.token_rotated")
    assert entry.before == {"tokenHint": old[:10]}
    assert entry.after == {"tokenHint": result.project_token[:10]}


def test_unknown_foreign_and_removed_repositories_are_not_found(
    world: World, personas: Personas
) -> None:
    foreign = World(personas.mallory, "evil/web").repository.id
    removed = World(personas.alice, "acme/old").repository.id
    act(personas.alice, "remove_repo", repoId=removed)
    for unknown in ("repo_none", "", foreign, removed):
        error_of(NotFoundError, world.persona, "rotate_repo_token", repoId=unknown)


def test_a_reviewer_is_forbidden(world: World, personas: Personas) -> None:
    error_of(ForbiddenError, personas.bob, "rotate_repo_token", repoId=world.repository.id)
