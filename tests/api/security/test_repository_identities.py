"""CI identity tokens of repositories connected by name: who may publish for whom."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from threading import Barrier
from typing import Any

import pytest
from django.db import connection
from pytest_django.fixtures import Settings

from tests.support.case import Case
from tests.support.ci.identities import PUBLIC_URL, REPOSITORY_ID, TokenIssuer, issuing, signed
from tests.support.ci.publish_client import Job, connect, problem_of
from tests.support.database import current_personas
from tests.support.host_accounts import connect_account
from tests.support.pages import signed_in, text_of
from tests.support.personas import Persona, Personas
from visual_review.audit.models import AuditEntry
from visual_review.builds.models import Build
from visual_review.repositories.identities import audience_of
from visual_review.repositories.models import HostAccount, Repository

REUSED = "4712"


@pytest.fixture
def issuer(
    tmp_path: Path, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> Iterator[TokenIssuer]:
    with issuing(tmp_path, settings, monkeypatch) as found:
        yield found


@pytest.fixture
def job(personas: Personas, issuer: TokenIssuer) -> Job:
    made = connect_with_identities(personas.alice, issuer)
    issuer.use(made.repository.id)
    return made


def connect_with_identities(persona: Persona, issuer: TokenIssuer) -> Job:
    made = connect(persona, "acme/web")
    Repository.objects.filter(pk=made.repository.pk).update(identity_issuer=issuer.github)
    return made


def publish(job: Job, claims: dict[str, Any]) -> Any:  # noqa: ANN401 - A test response.
    mine = replace(job, token=signed(claims))
    return mine.call("POST", "builds", mine.request_body())


def rejected(job: Job, claims: dict[str, Any]) -> str:
    builds = Build.objects.count()
    detail = problem_of(publish(job, claims), 403)["detail"]
    assert Build.objects.count() == builds
    return str(detail)


def link(persona: Persona, repository: Repository, issuer: TokenIssuer, host_id: str) -> None:
    """As after connecting an account at the provider with access to any public repository."""
    account = connect_account(persona)
    HostAccount.objects.update(kind="github", address=issuer.url)
    Repository.objects.filter(pk=repository.pk).update(host_account=account, host_id=host_id)


def test_the_first_token_pins_the_repository_and_is_logged(job: Job, issuer: TokenIssuer) -> None:
    assert publish(job, issuer.push()).status_code == 200
    assert Repository.objects.get().identity_pin == REPOSITORY_ID
    entry = AuditEntry.objects.get(verb="repository.identity_pinned")
    assert (entry.actor_kind, entry.after) == ("ci_identity", {"hostId": REPOSITORY_ID})
    publish(job, issuer.push())
    assert AuditEntry.objects.filter(verb="repository.identity_pinned").count() == 1


def test_who_takes_over_a_name_publishes_nothing_and_reads_why(
    job: Job, issuer: TokenIssuer
) -> None:
    assert publish(job, issuer.push()).status_code == 200
    detail = rejected(job, issuer.push(repository_id=REUSED))
    assert "another repository named 'acme/web'" in detail
    assert REUSED in detail
    assert "an admin can accept the new one" in detail
    assert Repository.objects.get().identity_pin == REPOSITORY_ID
    # The repository itself keeps publishing, also under a new name.
    assert publish(job, issuer.push(repository="acme/renamed")).status_code == 200


@pytest.mark.django_db(transaction=True)
def test_of_two_first_tokens_of_different_repositories_one_is_refused(issuer: TokenIssuer) -> None:
    job = connect_with_identities(current_personas().alice, issuer)
    issuer.use(job.repository.id)
    together = Barrier(2)

    def first_call(repository_id: str) -> int:
        together.wait()
        try:
            return int(publish(job, issuer.push(repository_id=repository_id)).status_code)
        finally:
            connection.close()

    with ThreadPoolExecutor(2) as threads:
        assert sorted(threads.map(first_call, [REPOSITORY_ID, REUSED])) == [200, 403]
    assert AuditEntry.objects.filter(verb="repository.identity_pinned").count() == 1


def test_a_pin_holds_when_an_account_that_is_connected_later_finds_the_new_owner(
    personas: Personas, job: Job, issuer: TokenIssuer
) -> None:
    assert publish(job, issuer.push()).status_code == 200
    link(personas.alice, job.repository, issuer, REUSED)
    assert "an admin can accept" in rejected(job, issuer.push(repository_id=REUSED))


def test_an_admin_accepts_the_new_repository_on_the_page(
    personas: Personas, job: Job, issuer: TokenIssuer
) -> None:
    publish(job, issuer.push())
    settings_page = f"/repositories/{job.repository.id}/settings"
    assert REPOSITORY_ID in text_of(signed_in(personas.alice), settings_page)
    url = f"/repositories/{job.repository.id}/identity/unpin"
    assert signed_in(personas.bob).post(url).status_code == 403
    assert signed_in(personas.mallory).post(url).status_code == 404
    rejected(job, issuer.push(repository_id=REUSED))
    signed_in(personas.alice).post(url)
    entry = AuditEntry.objects.get(verb="repository.identity_unpinned")
    assert entry.before == {"hostId": REPOSITORY_ID}
    assert publish(job, issuer.push(repository_id=REUSED)).status_code == 200
    rejected(job, issuer.push())


def test_a_pin_ends_with_the_issuer_it_is_of(
    personas: Personas, job: Job, issuer: TokenIssuer
) -> None:
    publish(job, issuer.push())
    url = f"/repositories/{job.repository.id}/identity"
    signed_in(personas.alice).post(url, {"issuer": issuer.url})
    entry = AuditEntry.objects.get(verb="repository.identity_changed")
    assert entry.before == {"issuer": issuer.github, "hostId": REPOSITORY_ID}
    assert Repository.objects.get().identity_pin == ""


# The audience of a token, for a repository without an account at its provider.
SHARED = (PUBLIC_URL, f"{PUBLIC_URL}/", f"{PUBLIC_URL}/repositories/", f"{PUBLIC_URL}/acme/web")


def test_an_audience_that_names_no_repository_is_refused_and_the_right_one_described(
    case: Case, job: Job, issuer: TokenIssuer
) -> None:
    for audience in SHARED:
        with case(audience):
            status = 403 if audience == PUBLIC_URL else 401
            problem = problem_of(publish(job, issuer.push(aud=audience)), status)
            assert f"{PUBLIC_URL}/repositories/<id>" in problem["detail"]
    assert "VISUAL_REVIEW_REPOSITORY" in rejected(job, issuer.push(aud=PUBLIC_URL))
    assert not Repository.objects.exclude(identity_pin="").exists()


def test_the_pages_show_the_audience_to_request(
    personas: Personas, job: Job, issuer: TokenIssuer
) -> None:
    assert issuer
    client = signed_in(personas.alice)
    page = f"/repositories/{job.repository.id}"
    token_page = client.post(f"{page}/token").content.decode()
    for text in (text_of(client, f"{page}/settings"), token_page):
        assert audience_of(job.repository.id) in text
        assert "VISUAL_REVIEW_REPOSITORY" in text


def test_organizations_that_claim_the_same_name_do_not_lock_each_other_out(
    case: Case, personas: Personas, job: Job, issuer: TokenIssuer
) -> None:
    squatter = connect_with_identities(personas.mallory, issuer)
    for linked in ((), (personas.mallory,), (personas.mallory, personas.alice)):
        with case(f"{len(linked)} accounts"):
            for persona in linked:
                row = Repository.objects.get(organization=persona.organization)
                if row.host_account is None:
                    link(persona, row, issuer, REPOSITORY_ID)
            for mine in (job, squatter):
                claims = issuer.push(aud=audience_of(mine.repository.id))
                assert publish(mine, claims).status_code == 200
                assert Build.objects.latest("created_at").repository == mine.repository
            # A token that names neither repository goes to neither.
            rejected(job, issuer.push(aud=PUBLIC_URL))


def test_installations_with_a_connected_account_keep_the_audience_they_have(
    personas: Personas, job: Job, issuer: TokenIssuer
) -> None:
    link(personas.alice, job.repository, issuer, REPOSITORY_ID)
    # As the migration does for repositories that accept identities already.
    Repository.objects.update(identity_shared_audience=True)
    squatter = connect_with_identities(personas.mallory, issuer)
    link(personas.mallory, squatter.repository, issuer, REPOSITORY_ID)
    assert publish(job, issuer.push(aud=PUBLIC_URL)).status_code == 200
    assert Build.objects.get().repository == job.repository
    assert "VISUAL_REVIEW_REPOSITORY" in rejected(
        job, issuer.push(aud=PUBLIC_URL, repository_id=REUSED)
    )
    url = f"/repositories/{job.repository.id}/identity"
    signed_in(personas.alice).post(url, {"issuer": ""})
    signed_in(personas.alice).post(url, {"issuer": issuer.github})
    rejected(job, issuer.push(aud=PUBLIC_URL))
