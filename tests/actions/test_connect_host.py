"""Accounts at a Git provider: connecting, renewing, checking, disconnecting; repositories."""

from typing import Any

import pytest
from procrastinate.contrib.django.models import ProcrastinateJob
from pytest_django.fixtures import Settings
from scripts.local_host.memory.faults import FaultKind

from tests.support.action_calls import only_entry
from tests.support.host_accounts import ADDRESS, TOKEN, connect_account, host_world
from tests.support.personas import Persona, Personas
from visual_review.actions.dispatch import dispatch
from visual_review.actions.registry import any_action
from visual_review.audit.models import AuditEntry
from visual_review.hosts.errors import HostBusyError
from visual_review.jobs.hosts.link_repositories import link_repositories
from visual_review.kernel.encryption import decrypt
from visual_review.kernel.errors import (
    ConflictError,
    ForbiddenError,
    InvalidInputError,
    UnavailableError,
    VisualReviewError,
)
from visual_review.repositories.host_accounts import credentials_of
from visual_review.repositories.models import HostAccount, Repository

NEW_TOKEN = "another-token"
MEMORY: dict[str, Any] = {"kind": "memory", "address": ADDRESS, "credentials": {"token": TOKEN}}


def act(persona: Persona, name: str, **payload: object) -> Any:  # noqa: ANN401 - Results differ.
    return dispatch(any_action(name), persona.caller, payload)


def error_of(
    expected: type[VisualReviewError], persona: Persona, name: str, /, **payload: object
) -> VisualReviewError:
    """Return the error of a call that changes nothing and reveals no secret."""
    before = list(HostAccount.objects.values())
    with pytest.raises(expected) as caught:
        act(persona, name, **payload)
    assert list(HostAccount.objects.values()) == before
    assert not AuditEntry.objects.exists()
    assert TOKEN not in str(caught.value)
    return caught.value


def entry_without_secrets(*secrets: str) -> AuditEntry:
    entry = AuditEntry.objects.latest("id")
    for secret in (TOKEN, NEW_TOKEN, *secrets):
        assert secret not in str(vars(entry))
    return entry


def queued_links() -> list[Any]:
    jobs = ProcrastinateJob.objects.filter(task_name="link_repositories", status="todo")
    return [job.args["account_id"] for job in jobs]


def test_connecting_encrypts_the_credentials_and_shows_the_webhook_secret_once(
    personas: Personas, settings: Settings
) -> None:
    settings.PUBLIC_URL = "https://reviews.acme.example"
    result = act(personas.alice, "connect_host", **MEMORY)
    account = HostAccount.objects.get()
    assert (account.id, account.name) == (result.id, host_world().login)
    assert credentials_of(account) == {"token": TOKEN}
    assert decrypt(account.webhook_secret) == result.webhook_secret
    assert len(result.webhook_secret) >= 43
    for stored in (account.credentials, account.webhook_secret):
        assert TOKEN not in stored
        assert result.webhook_secret not in stored
    assert result.webhook_url == (f"https://reviews.acme.example/api/webhooks/hosts/{account.id}")
    entry = entry_without_secrets(result.webhook_secret)
    assert (entry.verb, entry.after) == (
        "host.connected",
        {
            "kind": "memory",
            "address": ADDRESS,
            "name": account.name,
            "credentials": ["token"],
        },
    )
    assert queued_links() == [account.id]


def test_the_url_is_stored_as_the_operator_wrote_it(personas: Personas, settings: Settings) -> None:
    settings.SOURCE_HOSTS = ("memory://Test",)
    act(personas.alice, "connect_host", **MEMORY | {"address": "memory://TEST/"})
    assert HostAccount.objects.get().address == "memory://Test"


def test_a_second_account_is_a_conflict_and_the_host_is_not_called(personas: Personas) -> None:
    connect_account(personas.alice)
    error = error_of(ConflictError, personas.alice, "connect_host", **MEMORY)
    assert "already connected" in str(error)
    assert not host_world().calls()


def test_credentials_that_the_host_rejects_are_not_stored(personas: Personas) -> None:
    host_world().revoke(TOKEN)
    error = error_of(InvalidInputError, personas.alice, "connect_host", **MEMORY)
    assert "does not accept" in str(error)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"address": "memory://elsewhere"}, "VISUAL_REVIEW_SOURCE_HOSTS"),
        ({"address": "http://169.254.169.254"}, "VISUAL_REVIEW_SOURCE_HOSTS"),
        ({"credentials": {}}, "must be token"),
        ({"credentials": {"token": ""}}, "token"),
        ({"credentials": {"token": TOKEN, "more": "x"}}, "must be token"),
        ({"credentials": {"token": TOKEN * 1000}}, "at most"),
        ({"kind": "bitbucket"}, "kind"),
    ],
)
def test_invalid_input_is_rejected_with_a_message(
    personas: Personas, change: dict[str, object], message: str
) -> None:
    error = error_of(InvalidInputError, personas.alice, "connect_host", **{**MEMORY, **change})
    assert message in str(error)


@pytest.mark.parametrize("fault_kind", ["busy", "html"])
@pytest.mark.parametrize("name", ["connect_host", "change_host_credentials"])
def test_nothing_is_stored_while_the_host_is_unavailable(
    personas: Personas, name: str, fault_kind: FaultKind
) -> None:
    payload = MEMORY
    if name == "change_host_credentials":
        connect_account(personas.alice)
        payload = {"credentials": {"token": NEW_TOKEN}}
    host_world().add_fault(fault_kind)
    error_of(UnavailableError, personas.alice, name, **payload)


def test_new_credentials_replace_the_old_and_clear_the_problem(personas: Personas) -> None:
    account = connect_account(personas.alice)
    HostAccount.objects.update(problem="The token was revoked.")
    host_world().revoke(TOKEN)
    act(personas.alice, "change_host_credentials", credentials={"token": NEW_TOKEN})
    account.refresh_from_db()
    assert (credentials_of(account), account.problem) == ({"token": NEW_TOKEN}, "")
    assert entry_without_secrets().verb == "host.credentials_changed"
    assert queued_links() == [account.id]


def test_checking_records_a_revoked_token_and_clears_the_problem_later(personas: Personas) -> None:
    account = connect_account(personas.alice)
    host_world().revoke(TOKEN)
    assert "rejects" in act(personas.alice, "check_host").problem
    account.refresh_from_db()
    assert "rejects" in account.problem
    assert entry_without_secrets().after == {"name": account.name, "problem": account.problem}
    host_world().clear_faults()
    assert act(personas.alice, "check_host").problem == ""
    account.refresh_from_db()
    assert account.problem == ""


def test_checking_a_host_that_is_down_stores_no_problem(personas: Personas) -> None:
    connect_account(personas.alice)
    host_world().add_fault("busy")
    error_of(UnavailableError, personas.alice, "check_host")


def test_a_new_webhook_secret_replaces_the_old(personas: Personas) -> None:
    account = connect_account(personas.alice)
    result = act(personas.alice, "renew_webhook_secret")
    account.refresh_from_db()
    assert decrypt(account.webhook_secret) == result.webhook_secret
    assert entry_without_secrets(result.webhook_secret).verb == "host.webhook_secret_renewed"


def test_disconnecting_deletes_the_secrets_and_keeps_the_repositories(personas: Personas) -> None:
    connect_account(personas.alice, "acme/web")
    repo = act(personas.alice, "connect_repo", fullName="acme/web").repo
    Repository.objects.update(host_problem="Not reached", identity_issuer="https://issuer")
    act(personas.alice, "disconnect_host")
    assert not HostAccount.objects.exists()
    row = Repository.objects.get(pk=repo.id)
    assert (row.host_account, row.host_id, row.host_problem) == (None, "", "")
    assert row.identity_issuer == ""
    assert entry_without_secrets().verb == "host.disconnected"


@pytest.mark.parametrize(
    "name", ["change_host_credentials", "check_host", "disconnect_host", "renew_webhook_secret"]
)
def test_changes_without_an_account_are_a_conflict(personas: Personas, name: str) -> None:
    connect_account(personas.mallory)
    payload = {"credentials": {"token": TOKEN}} if name == "change_host_credentials" else {}
    error_of(ConflictError, personas.alice, name, **payload)


@pytest.mark.parametrize(
    "name",
    [
        *("connect_host", "change_host_credentials", "check_host"),
        *("disconnect_host", "renew_webhook_secret", "set_repo_identity"),
    ],
)
def test_a_reviewer_is_forbidden(personas: Personas, name: str) -> None:
    connect_account(personas.alice)
    error_of(ForbiddenError, personas.bob, name)
    assert not host_world().calls()


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
    # The branch may have been chosen explicitly.
    assert web.default_branch == "main"
    assert (gone.host_account, gone.host_id) == (None, "")
    assert "cannot reach" in gone.host_problem
    assert (other.host_account, other.host_problem) == (None, "")
    entry = only_entry("repository.linked")
    assert (entry.target_id, entry.channel) == (web.id, "job")


def test_running_again_links_only_what_became_accessible(personas: Personas) -> None:
    (late,) = create_repositories(personas, "acme/late")
    account = connect_account(personas.alice)
    link_repositories(account.id)
    host_world().add_repository("acme/late")
    for _ in range(2):
        link_repositories(account.id)
        late.refresh_from_db()
        assert (late.host_account, late.host_problem) == (account, "")


def test_a_linked_repository_is_identified_by_its_id_not_by_its_name(personas: Personas) -> None:
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


def test_a_revoked_token_is_recorded_with_the_account_and_not_retried(personas: Personas) -> None:
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
