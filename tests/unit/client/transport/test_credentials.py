"""The credential of a CI job, and requests and renewals of identity tokens."""

import base64
import json

import pytest

from tests.support.case import Case
from tests.support.servers.scripted import ScriptedResponse, serving
from visual_review.client.publishing import Service
from visual_review.client.transport.credentials import (
    UNKNOWN_SECONDS,
    GitHubIdentity,
    find_identity_token,
    token_audience,
    token_expiry,
)
from visual_review.client.transport.errors import InputError, ServiceError
from visual_review.client.transport.retry import RetryPolicy

AUDIENCE = "https://reviews.acme.example"
QUICK = RetryPolicy(attempts=2, first=0.001)


def token_until(expiry: object) -> str:
    body = base64.urlsafe_b64encode(json.dumps({"exp": expiry}).encode()).decode().rstrip("=")
    return f"eyJ.{body}.signature"


def token_response(token: object) -> ScriptedResponse:
    return ScriptedResponse(body={"count": 1, "value": token})


class Clock:
    moment = 1000.0

    def __call__(self) -> float:
        return self.moment


def test_without_variables_there_is_no_identity_token() -> None:
    assert find_identity_token({}, AUDIENCE) is None
    assert find_identity_token({"ACTIONS_ID_TOKEN_REQUEST_URL": "https://x"}, AUDIENCE) is None
    assert find_identity_token({"VISUAL_REVIEW_ID_TOKEN": " "}, AUDIENCE) is None


def test_the_audience_is_the_service_or_one_repository_there() -> None:
    assert token_audience(AUDIENCE, {}) == AUDIENCE
    variables = {"VISUAL_REVIEW_REPOSITORY": "repo_1 "}
    assert token_audience(AUDIENCE, variables) == f"{AUDIENCE}/repositories/repo_1"


def test_gitlabs_token_is_used_unchanged() -> None:
    identity = find_identity_token({"VISUAL_REVIEW_ID_TOKEN": "eyJ.x.y\n"}, AUDIENCE)
    assert identity is not None
    assert identity() == "eyJ.x.y"


@pytest.mark.parametrize("text", ["eyJ.x\n.y", "eyJ.x .y", "eyJ.é.y", "eyJ.\x7f.y"])
def test_an_invalid_token_is_an_error_that_does_not_show_it(text: str) -> None:
    with pytest.raises(InputError, match="VISUAL_REVIEW_ID_TOKEN") as raised:
        find_identity_token({"VISUAL_REVIEW_ID_TOKEN": text}, AUDIENCE)
    assert "eyJ" not in str(raised.value)


def test_the_request_to_github_has_our_audience_and_its_own_query() -> None:
    with serving(token_response("eyJ.x.y")) as server:
        identity = find_identity_token(
            {
                "ACTIONS_ID_TOKEN_REQUEST_URL": f"{server.url}/token?api-version=2.0",
                "ACTIONS_ID_TOKEN_REQUEST_TOKEN": "request-token",
            },
            AUDIENCE,
        )
        assert identity is not None
        assert identity() == "eyJ.x.y"
    (seen,) = server.seen
    assert seen.path == ("/token?api-version=2.0&audience=https%3A%2F%2Freviews.acme.example")
    assert seen.authorization == "Bearer request-token"


def test_a_token_is_renewed_at_half_of_its_lifetime() -> None:
    clock = Clock()
    first, second = token_until(1300), token_until(1500)
    with serving(token_response(first), token_response(second)) as server:
        identity = GitHubIdentity(server.url, "t", AUDIENCE, QUICK, clock)
        assert [identity(), identity()] == [first, first]
        clock.moment = 1149
        assert identity() == first
        clock.moment = 1150
        assert identity() == second
    assert len(server.seen) == 2


def test_a_token_without_a_readable_expiry_is_renewed_every_minute() -> None:
    clock = Clock()
    with serving(token_response("opaque"), token_response("another")) as server:
        identity = GitHubIdentity(server.url, "t", AUDIENCE, QUICK, clock)
        assert identity() == identity() == "opaque"
        clock.moment += UNKNOWN_SECONDS
        assert identity() == "another"


def test_invalid_tokens_have_no_expiry(case: Case) -> None:
    for text in ("", "a.b", "a..c", "a.!!.c", token_until("x"), token_until(None)):
        with case(repr(text)):
            assert token_expiry(text) is None


@pytest.mark.parametrize(
    "answer",
    [
        ScriptedResponse(status=403, body={"message": "no permission"}),
        ScriptedResponse(body=b"<html>"),
        ScriptedResponse(body=[1]),
        ScriptedResponse(body={"value": None}),
    ],
)
def test_an_error_of_github_says_which_permission_the_job_needs(answer: ScriptedResponse) -> None:
    with (
        serving(answer) as server,
        pytest.raises(ServiceError, match="id-token: write") as caught,
    ):
        GitHubIdentity(server.url, "request-token", AUDIENCE, QUICK)()
    assert "request-token" not in str(caught.value)


def test_a_request_is_retried_during_a_short_outage_of_github() -> None:
    with serving(ScriptedResponse(status=503), token_response("eyJ.x.y")) as server:
        assert GitHubIdentity(server.url, "t", AUDIENCE, QUICK)() == "eyJ.x.y"


def test_an_unreachable_github_is_a_service_error() -> None:
    with pytest.raises(ServiceError, match="did not give this job"):
        GitHubIdentity("http://127.0.0.1:9/", "t", AUDIENCE, QUICK)()


def test_the_error_of_a_rejected_identity_token_does_not_mention_project_tokens() -> None:
    detail = "The identity token of CI is not accepted: it has expired."
    with (
        serving(ScriptedResponse(status=401, body={"detail": detail})) as server,
        Service(server.url, lambda: "eyJ.x.y", QUICK, on_retry=lambda *_: None) as service,
        pytest.raises(ServiceError, match="it has expired") as caught,
    ):
        service.progress("build_1")
    assert "rotated" not in str(caught.value)
    assert server.seen[0].authorization == "Bearer eyJ.x.y"
