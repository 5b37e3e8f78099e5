"""Repositories connected before the account are found at its host by a job."""

import pytest

from tests.support.action_calls import only_entry
from tests.support.host_accounts import TOKEN, connect_account, host_world
from tests.support.personas import Personas
from visual_review.hosts.errors import HostBusyError
from visual_review.jobs.hosts.link_repositories import link_repositories
from visual_review.repositories.models import HostAccount, Repository


def create_repositories(personas: Personas, *names: str) -> list[Repository]:
    organization = personas.alice.organization
    return [Repository.objects.create(organization=organization, full_name=name) for name in names]


def test_accessible_repositories_are_linked_and_others_get_a_problem(personas: Personas) -> None:
    web, gone = create_repositories(personas, "acme/web", "acme/gone")
    other = Repository.objects.create(
        organization=personas.mallory.organization, full_name="acme/web"
    )
    account = connect_account(personas.alice)
    host_id = host_world().add_repository("Acme/Web", "trunk").id
    link_repositories(account.id)
    for row in (web, gone, other):
        row.refresh_from_db()
    assert (web.host_account, web.host_id, web.host_problem) == (account, host_id, "")
    # It may have been chosen explicitly.
    assert web.default_branch == "main"
    assert (gone.host_account, gone.host_id) == (None, "")
    assert "cannot reach" in gone.host_problem
    assert (other.host_account, other.host_problem) == (None, "")
    entry = only_entry("repository.linked")
    assert (entry.target_id, entry.channel) == (web.id, "job")


def test_running_again_links_only_what_became_accessible(
    personas: Personas,
) -> None:
    (late,) = create_repositories(personas, "acme/late")
    account = connect_account(personas.alice)
    link_repositories(account.id)
    host_world().add_repository("acme/late")
    for _ in range(2):
        link_repositories(account.id)
        late.refresh_from_db()
        assert (late.host_account, late.host_problem) == (account, "")


def test_a_linked_repository_is_identified_by_its_id_not_by_its_name(
    personas: Personas,
) -> None:
    (web,) = create_repositories(personas, "acme/web")
    account = connect_account(personas.alice)
    first = host_world().add_repository("acme/web")
    link_repositories(account.id)
    host_world().rename_repository("acme/web", "acme/site")
    host_world().add_repository("acme/web")
    link_repositories(account.id)
    web.refresh_from_db()
    assert web.host_id == first.id


def test_two_names_of_one_repository_are_distinguished(personas: Personas) -> None:
    first, second = create_repositories(personas, "acme/new", "acme/old")
    account = connect_account(personas.alice, "acme/old")
    host_world().rename_repository("acme/old", "acme/new")
    link_repositories(account.id)
    first.refresh_from_db()
    second.refresh_from_db()
    assert (first.host_account, second.host_account) == (account, None)
    assert "another one that is connected" in second.host_problem


def test_a_revoked_token_is_recorded_with_the_account_and_not_retried(
    personas: Personas,
) -> None:
    create_repositories(personas, "acme/web")
    account = connect_account(personas.alice, "acme/web")
    host_world().revoke(TOKEN)
    link_repositories(account.id)
    account.refresh_from_db()
    assert account.problem


def test_a_host_that_is_down_is_retried_by_the_queue(personas: Personas) -> None:
    (web,) = create_repositories(personas, "acme/web")
    account = connect_account(personas.alice, "acme/web")
    host_world().add_fault("busy", times=1)
    with pytest.raises(HostBusyError):
        link_repositories(account.id)
    link_repositories(account.id)
    web.refresh_from_db()
    assert web.host_account == account


def test_nothing_is_called_for_a_disconnected_account(personas: Personas) -> None:
    create_repositories(personas, "acme/web")
    account = connect_account(personas.alice, "acme/web")
    HostAccount.objects.all().delete()
    link_repositories(account.id)
    assert not host_world().calls()
