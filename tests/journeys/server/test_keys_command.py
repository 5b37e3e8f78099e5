"""``visual-review keys`` next to a running service that accepts the created keys."""

from collections.abc import Iterator

import pytest
from django.test import Client

from tests.support.personas import Personas
from tests.support.servers.in_process_commands import run_in_process
from tests.support.servers.service import OWNER, Service, environment, open_folder, run, start
from tests.support.servers.template import copy_data_folder
from tests.support.servers.worker import database_environment
from visual_review.accounts.models import ApiKey, Organization
from visual_review.repositories.models import Repository

ACTION = "/api/rest/actions/list_repos"


@pytest.fixture(scope="module")
def service() -> Iterator[Service]:
    with open_folder() as folder:
        owner = environment(
            VISUAL_REVIEW_OWNER_EMAIL=OWNER[0], VISUAL_REVIEW_OWNER_PASSWORD=OWNER[1]
        )
        started = start(copy_data_folder(folder / "data"), owner)
        yield started
        started.process.end()


def status_with(service: Service, key: str) -> int:
    return service.post(ACTION, {}, Authorization=f"Bearer {key}").status_code


def keys(service: Service, *arguments: str) -> tuple[int, str, str]:
    ran = run(["keys", *arguments, "--data", str(service.data)])
    return ran.code, ran.out, ran.err


def test_a_new_key_works_in_the_running_service_until_it_is_revoked(service: Service) -> None:
    code, out, err = keys(
        service,
        *("create", "--organization-scoped", "--name", "ci", "--permission", "repos:view"),
        "--quiet",
    )
    assert (code, err) == (0, "")
    key = out.strip()
    assert out == f"{key}\n"
    assert status_with(service, key) == 200
    code, listed, _ = keys(service, "list")
    assert code == 0
    assert key not in listed
    key_id = next(word for word in listed.split() if word.startswith("key_"))
    assert keys(service, "revoke", key_id)[0] == 0
    assert status_with(service, key) == 401


def test_a_key_acts_in_the_organization_that_is_named(personas: Personas) -> None:
    owner = personas.alice.user.email
    # In the tests' database: the service of this file keeps its one initial organization.
    arguments = ["organizations", "create", "Globex", "--owner", owner]
    made = run_in_process(arguments, database_environment())
    assert (made.code, made.out) == (0, ""), made.err
    globex = Organization.objects.get(name="Globex")
    for organization in (globex, personas.alice.organization):
        Repository.objects.create(
            organization=organization, full_name=f"{organization.name}/web".lower()
        )
    wanted = ("--organization-scoped", "--name", "ci", "--permission", "repos:view", "--quiet")
    named = run_in_process(
        ["keys", "create", "--organization", "Globex", *wanted], database_environment()
    )
    assert named.code == 0, named.err
    headers = {"Authorization": f"Bearer {named.out.strip()}"}
    response = Client().post(ACTION, {}, content_type="application/json", headers=headers)
    [listed] = response.json()["result"]["repos"]
    assert listed["fullName"] == "globex/web"


def test_a_key_of_a_person_has_their_role(personas: Personas) -> None:
    carol = personas.carol.user.email
    made = run_in_process(
        ["keys", "create", "--user", carol, "--name", "laptop", "--quiet"], database_environment()
    )
    assert (made.code, made.err) == (0, "")
    headers = {"Authorization": f"Bearer {made.out.strip()}"}
    response = Client().post(ACTION, {}, content_type="application/json", headers=headers)
    assert response.status_code == 200


@pytest.mark.django_db
def test_a_key_of_an_unknown_person_is_refused() -> None:
    refused = run_in_process(
        ["keys", "create", "--user", "nobody@example.com", "--name", "x"], database_environment()
    )
    assert (refused.code, refused.out) == (2, "")
    message = "visual-review: There is no account with the e-mail address nobody@example.com.\n"
    assert refused.err == message


def test_a_key_belongs_to_either_a_person_or_the_organization() -> None:
    refused = run_in_process(["keys", "create", "--name", "x"])
    assert refused.code == 2
    assert "either --user" in refused.err


def test_without_a_database_the_error_names_the_variable() -> None:
    refused = run_in_process(["keys", "list"])
    assert refused.code == 2
    assert "VISUAL_REVIEW_DATABASE_URL" in refused.err


def test_rotate_key_works_next_to_the_running_service(service: Service) -> None:
    ran = run(["rotate-key", "--data", str(service.data)])
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.startswith("0 secrets were encrypted")


def test_the_list_shows_a_hostile_name_as_it_is(personas: Personas) -> None:
    name = "[red]ci[/red] [link=https://evil.example]here[/link] \u202e"
    carol = personas.carol.user.email
    arguments = ["keys", "create", "--user", carol, "--name", "ci"]
    assert run_in_process(arguments, database_environment()).code == 0
    ApiKey.objects.update(name=name)
    listed = run_in_process(
        ["keys", "list", "--organization", "Acme"], database_environment(FORCE_COLOR="1")
    )
    assert name.replace("\u202e", "⟨U+202E⟩") in listed.out


def test_a_hostile_name_of_an_organization_does_not_control_the_terminal(
    personas: Personas,
) -> None:
    Organization.objects.filter(pk=personas.mallory.organization.pk).update(name="\x1b[2J\u202e")
    refused = run_in_process(["keys", "list"], database_environment())
    assert refused.code == 2
    assert "Choose an organization" in refused.err
    assert refused.err.replace("\n", "").isprintable()
