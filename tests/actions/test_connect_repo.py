from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import close_old_connections, connection

from tests.actions.calls import act, only_entry, refused, refused_places
from tests.personas import Personas, make_personas
from visual_review.audit.models import AuditEntry
from visual_review.kernel.errors import ConflictError, ForbiddenError
from visual_review.repositories.models import ProjectToken, Repository
from visual_review.repositories.tokens import caller_of_project_token


def test_connects_with_a_default_product_and_a_token_told_once(personas: Personas) -> None:
    result = act(personas.alice, "connect_repo", fullName="acme/web")
    repository = Repository.objects.get()
    assert (result.repo.id, result.repo.default_branch) == (repository.id, "main")
    assert [product.key for product in repository.products.all()] == ["default"]
    assert caller_of_project_token(result.project_token).repository_id == repository.id
    assert result.secret_name == "UI_REVIEW_TOKEN"
    stored = ProjectToken.objects.get()
    assert result.project_token not in (stored.hint, stored.secret_hash)


def test_takes_nested_owners_and_another_default_branch(personas: Personas) -> None:
    result = act(
        personas.alice, "connect_repo", fullName="a/b/c/web.js", defaultBranch="release/1.x"
    )
    assert (result.repo.full_name, result.repo.default_branch) == ("a/b/c/web.js", "release/1.x")


def test_writes_the_log_without_the_token(personas: Personas) -> None:
    result = act(personas.alice, "connect_repo", fullName="acme/web")
    entry = only_entry("repository.connected")
    assert entry.after == {"fullName": "acme/web", "defaultBranch": "main"}
    assert result.project_token not in str(vars(entry))


@pytest.mark.parametrize("again", ["acme/web", "Acme/WEB"])
def test_a_second_time_is_a_conflict_that_names_the_id(personas: Personas, again: str) -> None:
    first = act(personas.alice, "connect_repo", fullName="acme/web")
    error = refused(ConflictError, personas.alice, "connect_repo", fullName=again)
    assert first.repo.id in str(error)
    assert Repository.objects.count() == 1


def test_another_organization_connects_the_same_name_apart(personas: Personas) -> None:
    mine = act(personas.alice, "connect_repo", fullName="acme/web")
    theirs = act(personas.mallory, "connect_repo", fullName="acme/web")
    assert mine.repo.id != theirs.repo.id


def test_a_removed_repository_can_be_connected_again(personas: Personas) -> None:
    first = act(personas.alice, "connect_repo", fullName="acme/web")
    act(personas.alice, "remove_repo", repoId=first.repo.id)
    second = act(personas.alice, "connect_repo", fullName="acme/web")
    assert second.repo.id != first.repo.id


@pytest.mark.parametrize(
    "name",
    [
        "",
        "web",
        "/web",
        "acme/",
        "acme//web",
        "acme/../web",
        "./web",
        "acme/web\n",
        "acme/w eb",
        "acme/\x07",
        "https://host/acme/web",
        "a/" + "b" * 300,
    ],
)
def test_a_name_of_another_form_is_refused(personas: Personas, name: str) -> None:
    assert refused_places(personas.alice, "connect_repo", fullName=name) == ["/fullName"]
    assert not Repository.objects.exists()


@pytest.mark.parametrize("branch", ["", "a b", "a\tb", "a//b", "/a", "a/", "a:b", "x" * 10_000])
def test_a_branch_that_git_refuses_is_refused(personas: Personas, branch: str) -> None:
    places = refused_places(
        personas.alice, "connect_repo", fullName="acme/web", defaultBranch=branch
    )
    assert places == ["/defaultBranch"]


def test_a_reviewer_may_not(personas: Personas) -> None:
    refused(ForbiddenError, personas.bob, "connect_repo", fullName="acme/web")


@pytest.mark.django_db(transaction=True)
def test_many_at_once_connect_it_once() -> None:
    alice = make_personas().alice

    def connect(_attempt: int) -> str:
        try:
            return str(act(alice, "connect_repo", fullName="acme/web").repo.id)
        except ConflictError as error:
            return str(error)
        finally:
            connection.close()

    with ThreadPoolExecutor(6) as pool:
        answers = list(pool.map(connect, range(12)))
    close_old_connections()
    made = Repository.objects.get().id
    assert answers.count(made) == 1
    assert all(made in answer for answer in answers)
    assert AuditEntry.objects.count() == 1
