import pytest
from scripts.local_host.memory.faults import FaultKind

from tests.support.action_calls import act, error_of
from tests.support.host_accounts import TOKEN, connect_account, host_world
from tests.support.personas import Personas
from visual_review.audit.models import AuditEntry
from visual_review.kernel.clock import now
from visual_review.kernel.errors import ConflictError, ForbiddenError, UnavailableError
from visual_review.repositories.models import HostAccount


def names(personas: Personas) -> list[str]:
    return [repo.full_name for repo in act(personas.alice, "list_host_repos").repos]


def test_all_pages_of_the_hosts_list_are_returned_by_name(personas: Personas) -> None:
    # More than one page of the host, unordered.
    created = [f"acme/r{number}" for number in (7, 3, 9, 1, 5, 2, 8)]
    connect_account(personas.alice, *created)
    assert names(personas) == sorted(created)
    assert not AuditEntry.objects.exists()


def test_branch_visibility_archive_state_and_connection_are_returned(personas: Personas) -> None:
    connect_account(personas.alice, "acme/free")
    host_world().add_repository("acme/web", "trunk", private=True, archived=True)
    mine = act(personas.alice, "connect_repo", fullName="ACME/web").repo
    free, web = act(personas.alice, "list_host_repos").repos
    assert (free.full_name, free.default_branch, free.repo_id) == ("acme/free", "main", None)
    assert (free.private, free.archived) == (False, False)
    assert (web.full_name, web.default_branch, web.repo_id) == ("acme/web", "trunk", mine.id)
    assert (web.private, web.archived) == (True, True)


def test_only_the_case_of_ascii_makes_a_repository_the_connected_one(personas: Personas) -> None:
    # Connected before there is an account, so only the name could identify the repository.
    act(personas.alice, "connect_repo", fullName="acme/É")
    connect_account(personas.alice, "acme/é", "acme/free")
    assert [found.repo_id for found in act(personas.alice, "list_host_repos").repos] == [None] * 2


def test_a_repository_renamed_at_the_host_is_still_the_connected_one(personas: Personas) -> None:
    connect_account(personas.alice, "acme/web")
    mine = act(personas.alice, "connect_repo", fullName="acme/web").repo
    host_world().rename_repository("acme/web", "acme/site")
    (found,) = act(personas.alice, "list_host_repos").repos
    assert (found.full_name, found.repo_id) == ("acme/site", mine.id)


def test_what_another_organization_connected_is_not_returned(personas: Personas) -> None:
    connect_account(personas.alice, "acme/web")
    act(personas.mallory, "connect_repo", fullName="acme/web")
    (found,) = act(personas.alice, "list_host_repos").repos
    assert found.repo_id is None


def test_without_an_account_the_conflict_says_where_to_connect_one(personas: Personas) -> None:
    connect_account(personas.mallory, "acme/web")
    error = error_of(ConflictError, personas.alice, "list_host_repos")
    assert "Connect one in the settings under 'Git provider'" in str(error)


def test_a_revoked_token_is_a_conflict_that_names_the_host(personas: Personas) -> None:
    connect_account(personas.alice, "acme/web")
    host_world().revoke(TOKEN)
    error = error_of(ConflictError, personas.alice, "list_host_repos")
    assert "memory://test rejects the connected account" in str(error)
    assert TOKEN not in str(error)


@pytest.mark.parametrize("fault_kind", ["busy", "html"])
def test_a_failing_host_is_unavailable(personas: Personas, fault_kind: FaultKind) -> None:
    connect_account(personas.alice, "acme/web")
    host_world().add_fault(fault_kind, until=now())
    error = error_of(UnavailableError, personas.alice, "list_host_repos")
    assert "memory://test" in str(error)


def test_credentials_that_no_key_decrypts_are_a_conflict_with_a_message(personas: Personas) -> None:
    connect_account(personas.alice, "acme/web")
    HostAccount.objects.update(credentials="encrypted with another key")
    error = error_of(ConflictError, personas.alice, "list_host_repos")
    assert "VISUAL_REVIEW_SEALING_KEYS" in str(error)


def test_a_url_that_is_no_longer_allowed_is_not_called(personas: Personas) -> None:
    account = connect_account(personas.alice, "acme/web")
    HostAccount.objects.filter(pk=account.pk).update(address="memory://elsewhere")
    error = error_of(ConflictError, personas.alice, "list_host_repos")
    assert "VISUAL_REVIEW_SOURCE_HOSTS" in str(error)


@pytest.mark.parametrize("name", ["bob", "carol"])
def test_the_permission_to_manage_repositories_is_required(personas: Personas, name: str) -> None:
    error_of(ForbiddenError, getattr(personas, name), "list_host_repos")
