"""Wrong keys are limited by network; a right key is never refused for wrong ones."""

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from tests.support.api_keys import call, user_key
from tests.support.ci.publish_client import Job
from tests.support.mcp.endpoint import Endpoint, open_endpoint
from tests.support.personas import Personas
from visual_review.api.credentials import WRONG_CREDENTIALS

LIMIT = WRONG_CREDENTIALS.limit
HERE = "127.0.0.1"
WRONG_KEY = "vr_user_" + "x" * 43
WRONG_TOKEN = "vr_ci_" + "x" * 43
ACCESS_TOKEN = "vr_access_" + "x" * 43


@dataclass(frozen=True)
class Reply:
    status: int
    retry_after: str | None


@pytest.fixture
def endpoint(personas: Personas) -> Iterator[Endpoint]:
    assert personas
    with open_endpoint() as opened:
        yield opened


def ask_rest(key: str | None, address: str = HERE) -> Reply:
    response = call(key, "list_repos", {}, REMOTE_ADDR=address)
    return Reply(response.status_code, response.headers.get("Retry-After"))


def ask_ci(job: Job, token: str | None) -> Reply:
    response = replace(job, token=token).call("GET", "capture-plan", QUERY_STRING="branch=main")
    return Reply(response.status_code, response.headers.get("Retry-After"))


def ask_mcp(endpoint: Endpoint, key: str | None) -> Reply:
    response = endpoint.ask(key, "tools/list")
    return Reply(response.status_code, response.headers.get("Retry-After"))


def exceed(ask: Callable[[], Reply]) -> None:
    """Send wrong credentials up to the limit and one more; the first and last really are sent."""
    assert ask() == Reply(401, None)
    for _ in range(LIMIT - 1):
        WRONG_CREDENTIALS.record(HERE, time.monotonic())
    refused = ask()
    assert refused.status == 429
    assert 0 < int(refused.retry_after or 0) <= WRONG_CREDENTIALS.seconds


def test_wrong_keys_over_rest_are_limited_and_a_right_one_is_not(personas: Personas) -> None:
    key = user_key(personas.bob)
    exceed(lambda: ask_rest(WRONG_KEY))
    assert ask_rest(key) == Reply(200, None)
    # Nor is someone without any key, or on another network.
    assert ask_rest(None).status == 401
    assert ask_rest(WRONG_KEY, "192.0.2.1").status == 401


def test_wrong_keys_over_mcp_are_limited_and_a_right_one_is_not(
    endpoint: Endpoint, personas: Personas
) -> None:
    key = user_key(personas.bob)
    exceed(lambda: ask_mcp(endpoint, WRONG_KEY))
    assert ask_mcp(endpoint, key) == Reply(200, None)
    # A client renews an expired access token after status 401 only.
    assert ask_mcp(endpoint, ACCESS_TOKEN) == Reply(401, None)
    assert ask_mcp(endpoint, None) == Reply(401, None)


def test_wrong_project_tokens_are_limited_and_a_right_one_is_not(job: Job) -> None:
    exceed(lambda: ask_ci(job, WRONG_TOKEN))
    assert ask_ci(job, job.token) == Reply(200, None)


def test_all_interfaces_share_one_limit(job: Job) -> None:
    exceed(lambda: ask_rest(WRONG_KEY))
    assert ask_ci(job, WRONG_TOKEN).status == 429


def test_the_response_says_that_a_valid_key_is_accepted(personas: Personas) -> None:
    assert personas
    exceed(lambda: ask_rest(WRONG_KEY))
    response = call(WRONG_KEY, "list_repos", {})
    assert response["Content-Type"] == "application/problem+json"
    detail = response.json()["detail"]  # type: ignore[attr-defined] # The test client adds it.
    assert "A valid one is still accepted. Try again in" in detail
    assert WRONG_KEY not in detail


def test_a_wrong_key_costs_one_query_and_no_write(personas: Personas) -> None:
    assert personas
    exceed(lambda: ask_rest(WRONG_KEY))
    with CaptureQueriesContext(connection) as captured:
        ask_rest(WRONG_KEY)
    (query,) = captured.captured_queries
    assert query["sql"].startswith("SELECT")
