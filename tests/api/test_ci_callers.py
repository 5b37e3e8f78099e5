"""Who may publish: the project token of a living repository, and clients of a known interface."""

from dataclasses import replace

import pytest

from tests.support.api_keys import organization_key, user_key
from tests.support.case import Case
from tests.support.ci.publish_client import Job, connect, make_image, problem_of
from tests.support.personas import Personas
from visual_review.api.ci.endpoint import HEADER, VERSION, require_accepted_client
from visual_review.builds.models import Image
from visual_review.client.transport import connection
from visual_review.kernel.clock import now
from visual_review.kernel.errors import InvalidInputError
from visual_review.repositories.models import Repository
from visual_review.repositories.tokens import rotate_token

CALLS = (
    ("GET", "capture-plan"),
    ("POST", "builds"),
    ("GET", "builds/build_x"),
    ("POST", "builds/build_x/screenshots"),
    ("POST", "builds/build_x/finish"),
)


def test_every_call_rejects_invalid_project_tokens_with_the_same_message(
    case: Case, job: Job, personas: Personas
) -> None:
    wrong = (
        None,
        "",
        "vr_ci_nobody",
        "vr_ci_\x7f",
        user_key(personas.alice),
        organization_key(personas.alice, ("repos:view",)),
    )
    for method, path in CALLS:
        with case(f"{method} {path}"):
            details = set()
            for token in wrong:
                # The body is broken too: the caller is settled before the body is read.
                response = replace(job, token=token).call(method, path, b"{")
                details.add(problem_of(response, 401)["detail"])
                assert response["WWW-Authenticate"].startswith("Bearer")
            assert len(details) == 1


def test_a_rotated_token_is_rejected_immediately(job: Job) -> None:
    build = job.create()
    rotate_token(job.repository)
    problem_of(job.call("GET", f"builds/{build['id']}"), 401)


def test_the_token_of_a_removed_repository_is_rejected(job: Job) -> None:
    Repository.objects.filter(pk=job.repository.pk).update(removed_at=now())
    problem_of(job.call("POST", "builds", job.request_body()), 401)


def test_another_repositorys_build_is_treated_like_a_missing_one(
    case: Case, job: Job, personas: Personas
) -> None:
    build = job.create()
    for owner, name in ((personas.alice, "acme/other"), (personas.mallory, "evil/web")):
        with case(name):
            other = connect(owner, name)
            for path, body in (("", None), ("/screenshots", {"screenshots": []}), ("/finish", {})):
                method = "GET" if body is None else "POST"
                foreign = other.call(method, f"builds/{build['id']}{path}", body)
                unknown = other.call(method, f"builds/build_{'0' * 26}{path}", body)
                odd = other.call(method, f"builds/%00{path}", body)
                details = {problem_of(each, 404)["detail"] for each in (foreign, unknown, odd)}
                assert len(details) == 1


def test_an_image_of_another_organization_cannot_be_claimed_by_its_hash(personas: Personas) -> None:
    red = make_image("red")
    connect(personas.alice).publish({"button": red})
    spy = connect(personas.mallory, "evil/web")
    build = spy.create()
    assert [each["sha256"] for each in spy.announce(build, red.shot("button"))["uploads"]] == [
        red.sha256
    ]
    document = problem_of(spy.call("POST", f"builds/{build['id']}/finish", {}), 409)
    assert document["missing"] == [red.sha256]
    assert Image.objects.filter(organization=personas.mallory.organization).count() == 0


def test_a_nonce_of_another_repository_makes_a_build_of_its_own(personas: Personas) -> None:
    first = connect(personas.alice).create(nonce="same")
    second = connect(personas.alice, "acme/other").create(nonce="same")
    assert first["id"] != second["id"]


def test_client_and_server_of_one_commit_fit() -> None:
    assert (connection.INTERFACE, connection.INTERFACE_HEADER) == (VERSION, HEADER)
    assert connection.OLDEST_SERVER <= VERSION
    require_accepted_client(str(connection.INTERFACE))


def test_a_client_that_is_too_old_learns_where_the_one_that_fits_is() -> None:
    require_accepted_client(None)
    for header in ("1", "no number"):
        with pytest.raises(InvalidInputError, match="/client/"):
            require_accepted_client(header)
