from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import close_old_connections, connection
from scripts.local_host.memory.faults import FaultKind

from tests.support.action_calls import act, error_of, invalid_fields, only_entry
from tests.support.database import current_personas
from tests.support.host_accounts import TOKEN, connect_account, host_world
from tests.support.personas import Personas
from visual_review.actions.published.connect_repo import Input, call_host, run
from visual_review.audit.models import AuditEntry
from visual_review.kernel.errors import ConflictError, ForbiddenError, UnavailableError
from visual_review.repositories.models import HostAccount, ProjectToken, Repository
from visual_review.repositories.tokens import caller_of_project_token


def test_connecting_creates_a_default_product_and_a_token_shown_once(personas: Personas) -> None:
    result = act(personas.alice, "connect_repo", fullName="acme/web")
    repository = Repository.objects.get()
    assert (result.repo.id, result.repo.default_branch) == (repository.id, "main")
    assert [product.key for product in repository.products.all()] == ["default"]
    assert caller_of_project_token(result.project_token).repository_id == repository.id
    assert result.secret_name == "UI_REVIEW_TOKEN"
    stored = ProjectToken.objects.get()
    assert result.project_token not in (stored.hint, stored.secret_hash)


def test_nested_owners_and_another_default_branch_are_accepted(personas: Personas) -> None:
    result = act(
        personas.alice, "connect_repo", fullName="a/b/c/web.js", defaultBranch="release/1.x"
    )
    assert (result.repo.full_name, result.repo.default_branch) == ("a/b/c/web.js", "release/1.x")


def test_the_audit_entry_does_not_contain_the_token(personas: Personas) -> None:
    result = act(personas.alice, "connect_repo", fullName="acme/web")
    entry = only_entry("repository.connected")
    assert entry.after == {"fullName": "acme/web", "defaultBranch": "main"}
    assert result.project_token not in str(vars(entry))


@pytest.mark.parametrize("again", ["acme/web", "Acme/WEB"])
def test_connecting_twice_is_a_conflict_with_the_existing_id(
    personas: Personas, again: str
) -> None:
    first = act(personas.alice, "connect_repo", fullName="acme/web")
    error = error_of(ConflictError, personas.alice, "connect_repo", fullName=again)
    assert first.repo.id in str(error)
    assert Repository.objects.count() == 1


def test_two_organizations_can_connect_the_same_name(personas: Personas) -> None:
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
def test_a_malformed_name_is_rejected(personas: Personas, name: str) -> None:
    assert invalid_fields(personas.alice, "connect_repo", fullName=name) == ["/fullName"]
    assert not Repository.objects.exists()


@pytest.mark.parametrize("branch", ["", "a b", "a\tb", "a//b", "/a", "a/", "a:b", "x" * 10_000])
def test_a_branch_name_that_git_rejects_is_rejected(personas: Personas, branch: str) -> None:
    fields = invalid_fields(
        personas.alice, "connect_repo", fullName="acme/web", defaultBranch=branch
    )
    assert fields == ["/defaultBranch"]


def test_a_reviewer_is_forbidden(personas: Personas) -> None:
    error_of(ForbiddenError, personas.bob, "connect_repo", fullName="acme/web")


def test_with_an_account_name_branch_and_id_come_from_the_host(personas: Personas) -> None:
    account = connect_account(personas.alice)
    known = host_world().add_repository("Acme/Web", "trunk")
    result = act(personas.alice, "connect_repo", fullName="acme/WEB")
    assert (result.repo.full_name, result.repo.default_branch) == ("Acme/Web", "trunk")
    row = Repository.objects.get()
    assert (row.host_account, row.host_id, row.host_checked_at is None) == (
        account,
        known.id,
        False,
    )
    assert only_entry("repository.connected").after == {
        "fullName": "Acme/Web",
        "defaultBranch": "trunk",
        "sourceHost": "memory://test",
    }


@pytest.mark.parametrize("branch", ["main", "release"])
def test_a_given_branch_overrides_the_hosts(personas: Personas, branch: str) -> None:
    connect_account(personas.alice)
    host_world().add_repository("acme/web", "trunk")
    # Also if the branch equals the default, because the caller gave it explicitly.
    result = act(personas.alice, "connect_repo", fullName="acme/web", defaultBranch=branch)
    assert result.repo.default_branch == branch


def test_a_repository_without_commits_gets_the_published_default(personas: Personas) -> None:
    connect_account(personas.alice)
    host_world().add_repository("acme/empty", "")
    assert act(personas.alice, "connect_repo", fullName="acme/empty").repo.default_branch == "main"


def test_an_inaccessible_repository_is_a_conflict_that_says_what_to_do(personas: Personas) -> None:
    connect_account(personas.alice, "acme/other")
    error = error_of(ConflictError, personas.alice, "connect_repo", fullName="acme/web")
    assert "cannot reach 'acme/web'" in str(error)
    assert "give the account access" in str(error)
    assert not Repository.objects.exists()


@pytest.mark.parametrize("fault_kind", ["busy", "html"])
def test_nothing_is_connected_while_the_host_is_unavailable(
    personas: Personas, fault_kind: FaultKind
) -> None:
    connect_account(personas.alice, "acme/web")
    fault = host_world().add_fault(fault_kind, times=1)
    error = error_of(UnavailableError, personas.alice, "connect_repo", fullName="acme/web")
    assert "Nothing was changed" in str(error)
    assert fault.raised == 1
    assert not Repository.objects.exists()
    assert not ProjectToken.objects.exists()
    assert act(personas.alice, "connect_repo", fullName="acme/web").repo.full_name == "acme/web"


def test_a_revoked_token_connects_nothing_and_says_where_to_renew_it(personas: Personas) -> None:
    connect_account(personas.alice, "acme/web")
    host_world().revoke(TOKEN)
    error = error_of(ConflictError, personas.alice, "connect_repo", fullName="acme/web")
    assert "memory://test rejects the connected account" in str(error)
    assert "'Git provider'" in str(error)
    assert TOKEN not in str(error)
    assert not Repository.objects.exists()


def test_the_new_name_of_a_connected_repository_is_a_conflict(personas: Personas) -> None:
    connect_account(personas.alice, "acme/web")
    first = act(personas.alice, "connect_repo", fullName="acme/web")
    host_world().rename_repository("acme/web", "acme/site")
    error = error_of(ConflictError, personas.alice, "connect_repo", fullName="acme/site")
    assert first.repo.id in str(error)


def test_the_host_is_not_called_for_a_malformed_name(personas: Personas) -> None:
    connect_account(personas.alice)
    invalid_fields(personas.alice, "connect_repo", fullName="acme")
    invalid_fields(personas.alice, "connect_repo", fullName="acme/web", defaultBranch="a b")
    assert not host_world().calls()


@pytest.mark.parametrize("change", ["disconnected", "renewed"])
def test_an_account_that_changes_during_the_call_connects_nothing(
    personas: Personas, change: str
) -> None:
    account = connect_account(personas.alice, "acme/web")
    found = call_host(personas.alice.caller, Input(fullName="acme/web"))
    if change == "disconnected":
        account.delete()
    else:
        HostAccount.objects.update(credentials="other")
    with pytest.raises(ConflictError, match="changed by someone else"):
        run(personas.alice.caller, Input(fullName="acme/web"), found)


@pytest.mark.django_db(transaction=True)
def test_simultaneous_calls_connect_it_once() -> None:
    alice = current_personas().alice

    def connect(_attempt: int) -> str:
        try:
            return str(act(alice, "connect_repo", fullName="acme/web").repo.id)
        except ConflictError as error:
            return str(error)
        finally:
            connection.close()

    with ThreadPoolExecutor(6) as pool:
        outcomes = list(pool.map(connect, range(12)))
    close_old_connections()
    repository_id = Repository.objects.get().id
    assert outcomes.count(repository_id) == 1
    assert all(repository_id in outcome for outcome in outcomes)
    assert AuditEntry.objects.count() == 1
