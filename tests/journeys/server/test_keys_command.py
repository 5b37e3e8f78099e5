"""``visual-review keys`` beside a running service: a key it prints opens the service's actions."""

from collections.abc import Iterator

import httpx
import pytest

from tests.servers.service import OWNER, Service, environment, open_folder, run, start

ACTION = "/api/rest/actions/list_repos"


@pytest.fixture(scope="module")
def service() -> Iterator[Service]:
    with open_folder() as folder:
        owner = environment(
            VISUAL_REVIEW_OWNER_EMAIL=OWNER[0], VISUAL_REVIEW_OWNER_PASSWORD=OWNER[1]
        )
        started = start(folder / "data", owner)
        yield started
        started.process.end()


def status_with(service: Service, key: str) -> int:
    answer = httpx.post(
        f"{service.address}{ACTION}", json={}, headers={"Authorization": f"Bearer {key}"}
    )
    return answer.status_code


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


def test_a_key_of_a_person_follows_their_role(service: Service) -> None:
    code, out, _ = keys(service, "create", "--user", OWNER[0], "--name", "laptop", "--quiet")
    assert code == 0
    assert status_with(service, out.strip()) == 200


def test_what_cannot_be_done_is_said_in_words(service: Service) -> None:
    code, out, err = keys(service, "create", "--user", "nobody@example.com", "--name", "x")
    assert (code, out) == (2, "")
    assert err == "visual-review: There is no account with the address nobody@example.com.\n"


def test_a_key_is_either_a_persons_or_the_organizations() -> None:
    ran = run(["keys", "create", "--name", "x"])
    assert ran.code == 2
    assert "either --user" in ran.err


def test_without_a_database_it_says_which_variable_to_set() -> None:
    ran = run(["keys", "list"])
    assert ran.code == 2
    assert "VISUAL_REVIEW_DATABASE_URL" in ran.err


def test_secrets_of_a_data_folder_are_sealed_again_beside_the_running_service(
    service: Service,
) -> None:
    ran = run(["reseal", "--data", str(service.data)])
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.startswith("0 secrets were sealed")
