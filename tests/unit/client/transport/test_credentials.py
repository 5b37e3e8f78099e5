"""Which credential a CI job publishes with, and how an identity is asked for and renewed."""

import base64
import json

import pytest

from tests.support.case import Case
from tests.support.servers.scripted import Answer, serving
from visual_review.client.publishing import Service
from visual_review.client.transport.credentials import (
    UNKNOWN_SECONDS,
    GitHubIdentity,
    audience_of,
    end_of,
    identity_offered,
)
from visual_review.client.transport.errors import InputError, ServiceError
from visual_review.client.transport.retry import RetryPolicy

AUDIENCE = "https://reviews.acme.example"
QUICK = RetryPolicy(attempts=2, first=0.001)


def token_until(end: object) -> str:
    body = base64.urlsafe_b64encode(json.dumps({"exp": end}).encode()).decode().rstrip("=")
    return f"eyJ.{body}.signature"


def gives(token: object) -> Answer:
    return Answer(body={"count": 1, "value": token})


class Clock:
    moment = 1000.0

    def __call__(self) -> float:
        return self.moment


def test_without_an_offer_there_is_no_identity() -> None:
    assert identity_offered({}, AUDIENCE) is None
    assert identity_offered({"ACTIONS_ID_TOKEN_REQUEST_URL": "https://x"}, AUDIENCE) is None
    assert identity_offered({"VISUAL_REVIEW_ID_TOKEN": " "}, AUDIENCE) is None


def test_the_audience_is_the_service_or_one_repository_there() -> None:
    assert audience_of(AUDIENCE, {}) == AUDIENCE
    named = {"VISUAL_REVIEW_REPOSITORY": "repo_1 "}
    assert audience_of(AUDIENCE, named) == f"{AUDIENCE}/repositories/repo_1"


def test_gitlabs_token_is_taken_as_it_stands() -> None:
    offered = identity_offered({"VISUAL_REVIEW_ID_TOKEN": "eyJ.x.y\n"}, AUDIENCE)
    assert offered is not None
    assert offered() == "eyJ.x.y"


@pytest.mark.parametrize("text", ["eyJ.x\n.y", "eyJ.x .y", "eyJ.é.y", "eyJ.\x7f.y"])
def test_what_is_no_token_is_refused_without_being_shown(text: str) -> None:
    with pytest.raises(InputError, match="VISUAL_REVIEW_ID_TOKEN") as raised:
        identity_offered({"VISUAL_REVIEW_ID_TOKEN": text}, AUDIENCE)
    assert "eyJ" not in str(raised.value)


def test_github_is_asked_with_our_audience_beside_its_own_query() -> None:
    with serving(gives("eyJ.x.y")) as server:
        offered = identity_offered(
            {
                "ACTIONS_ID_TOKEN_REQUEST_URL": f"{server.url}/token?api-version=2.0",
                "ACTIONS_ID_TOKEN_REQUEST_TOKEN": "request-token",
            },
            AUDIENCE,
        )
        assert offered is not None
        assert offered() == "eyJ.x.y"
    (seen,) = server.seen
    assert seen.path == ("/token?api-version=2.0&audience=https%3A%2F%2Freviews.acme.example")
    assert seen.authorization == "Bearer request-token"


def test_a_token_is_renewed_when_half_of_its_time_has_passed() -> None:
    clock = Clock()
    first, second = token_until(1300), token_until(1500)
    with serving(gives(first), gives(second)) as server:
        identity = GitHubIdentity(server.url, "t", AUDIENCE, QUICK, clock)
        assert [identity(), identity()] == [first, first]
        clock.moment = 1149
        assert identity() == first
        clock.moment = 1150
        assert identity() == second
    assert len(server.seen) == 2


def test_a_token_whose_end_cannot_be_read_is_asked_for_every_minute() -> None:
    clock = Clock()
    with serving(gives("opaque"), gives("another")) as server:
        identity = GitHubIdentity(server.url, "t", AUDIENCE, QUICK, clock)
        assert identity() == identity() == "opaque"
        clock.moment += UNKNOWN_SECONDS
        assert identity() == "another"


def test_odd_tokens_have_no_end(case: Case) -> None:
    for text in ("", "a.b", "a..c", "a.!!.c", token_until("x"), token_until(None)):
        with case(repr(text)):
            assert end_of(text) is None


@pytest.mark.parametrize(
    "answer",
    [
        Answer(status=403, body={"message": "no permission"}),
        Answer(body=b"<html>"),
        Answer(body=[1]),
        Answer(body={"value": None}),
    ],
)
def test_a_refusal_of_github_says_which_permission_the_job_needs(answer: Answer) -> None:
    with (
        serving(answer) as server,
        pytest.raises(ServiceError, match="id-token: write") as caught,
    ):
        GitHubIdentity(server.url, "request-token", AUDIENCE, QUICK)()
    assert "request-token" not in str(caught.value)


def test_a_short_outage_of_github_is_waited_for() -> None:
    with serving(Answer(status=503), gives("eyJ.x.y")) as server:
        assert GitHubIdentity(server.url, "t", AUDIENCE, QUICK)() == "eyJ.x.y"


def test_an_address_nobody_listens_at_is_told_in_words() -> None:
    with pytest.raises(ServiceError, match="did not give this job"):
        GitHubIdentity("http://127.0.0.1:9/", "t", AUDIENCE, QUICK)()


def test_the_server_hears_why_it_refused_an_identity_and_nothing_of_project_tokens() -> None:
    detail = "The identity token of CI is not accepted: it has expired."
    with (
        serving(Answer(status=401, body={"detail": detail})) as server,
        Service(server.url, lambda: "eyJ.x.y", QUICK, on_retry=lambda *_: None) as service,
        pytest.raises(ServiceError, match="it has expired") as caught,
    ):
        service.progress("build_1")
    assert "rotated" not in str(caught.value)
    assert server.seen[0].authorization == "Bearer eyJ.x.y"
