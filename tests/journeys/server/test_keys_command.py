"""``visual-review keys`` beside a running service: a key it prints opens the service's actions."""

from collections.abc import Iterator

import pytest
from django.test import Client

from tests.support.personas import Personas
from tests.support.servers.database_environment import database_environment
from tests.support.servers.in_process_commands import run_in_process
from tests.support.servers.service import OWNER, Service, environment, open_folder, run, start
from tests.support.servers.template import copy_data_folder

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


def test_a_key_made_beside_the_running_service_works_until_it_is_revoked(service: Service) -> None:
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


def test_a_key_of_a_person_follows_their_role(personas: Personas) -> None:
    carol = personas.carol.user.email
    made = run_in_process(
        ["keys", "create", "--user", carol, "--name", "laptop", "--quiet"], database_environment()
    )
    assert (made.code, made.err) == (0, "")
    headers = {"Authorization": f"Bearer {made.out.strip()}"}
    answer = Client().post(ACTION, {}, content_type="application/json", headers=headers)
    assert answer.status_code == 200


@pytest.mark.django_db
def test_a_key_of_an_unknown_person_is_refused() -> None:
    refused = run_in_process(
        ["keys", "create", "--user", "nobody@example.com", "--name", "x"], database_environment()
    )
    assert (refused.code, refused.out) == (2, "")
    assert (
        refused.err == "visual-review: There is no account with the address nobody@example.com.\n"
    )


def test_a_key_is_either_a_persons_or_the_organizations() -> None:
    refused = run_in_process(["keys", "create", "--name", "x"])
    assert refused.code == 2
    assert "either --user" in refused.err


def test_without_a_database_it_says_which_variable_to_set() -> None:
    refused = run_in_process(["keys", "list"])
    assert refused.code == 2
    assert "VISUAL_REVIEW_DATABASE_URL" in refused.err


def test_rotate_key_works_next_to_the_running_service(
    service: Service,
) -> None:
    ran = run(["rotate-key", "--data", str(service.data)])
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.startswith("0 secrets were sealed")
