"""Failures and errors behind ``/api/mcp``: messages for callers, without internals."""

import json
import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import httpx
import pytest
from django.db import connection, transaction

from tests.support.api_keys import call, user_key
from tests.support.case import Case
from tests.support.mcp.endpoint import PROTOCOL_VERSIONS, Endpoint
from tests.support.personas import Personas
from tests.support.worlds import World
from visual_review.accounts.callers import Caller
from visual_review.actions import registry
from visual_review.actions.action import Action, Outcome
from visual_review.actions.schema import ActionResult
from visual_review.api.mcp import endpoint as endpoint_module
from visual_review.api.mcp import image_resources, server, tool_calls
from visual_review.api.mcp.tool_calls import DONE
from visual_review.kernel.errors import UnavailableError
from visual_review.kernel.ids import new_id
from visual_review.repositories.models import Repository

INNER = "hunter2 in /srv/secret.py"
LEAKS = (
    *("hunter2", "/srv", "RuntimeError", "KeyError", "DataError", "ValidationError", "pydantic"),
    *("Traceback", "psycopg", "SELECT", "zero", "statement", "serialize"),
)
URI = "visual-review://screenshots/shot_01m7ysj8512tcvvq9gxat1w8fb/after"
INCIDENT = re.compile(r"incident_[0-9a-z]{26}")
OURS = "The service failed unexpectedly; nothing was changed. Its log has details under '{}'."

Run = Callable[[Caller, Any], Outcome[Any]]


class UnserializableResult(ActionResult):
    """A result without a form in JSON."""

    value: Any


class BrokenResult(ActionResult):
    number: int


def assert_nothing_inner(response: httpx.Response) -> None:
    for word in LEAKS:
        assert word not in response.text


def assert_logged(text: str, caplog: pytest.LogCaptureFixture, inner: str) -> str:
    """Return the incident id in ``text``; the log must have the id with the details."""
    (incident,) = set(INCIDENT.findall(text))
    assert incident in caplog.text
    assert inner in caplog.text
    caplog.clear()
    return incident


def raise_inner(*_arguments: object, **_named: object) -> Any:  # noqa: ANN401 - It returns nothing.
    raise RuntimeError(INNER)


def lookup_missing(_caller: Caller, _values: object) -> Outcome[Any]:
    return {}[INNER]  # type: ignore[return-value]


def divide_in_the_database(_caller: Caller, _values: object) -> Outcome[Any]:
    # Reads run without a transaction; an error would abort the test's own.
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(f"SELECT 1/0 -- {INNER}")
    raise AssertionError


def exceed_the_statement_timeout(caller: Caller, _values: object) -> Outcome[Any]:
    Repository.objects.create(organization_id=caller.organization_id, full_name="acme/lost")
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL statement_timeout = 1")
        cursor.execute("SELECT pg_sleep(10)")
    raise AssertionError


def make_no_result(_caller: Caller, _values: object) -> Outcome[Any]:
    return Outcome(BrokenResult.model_validate({"number": INNER}))


def make_unwritable(_caller: Caller, _values: object) -> Outcome[Any]:
    return Outcome(UnserializableResult(value=object()))


def replace_action(monkeypatch: pytest.MonkeyPatch, name: str, run: Run) -> None:
    """Let the action ``name`` of the registry do something else in the test."""
    known: dict[str, Action[Any, Any]] = registry._PUBLISHED_BY_NAME  # noqa: SLF001 - No other way in.
    monkeypatch.setitem(known, name, replace(known[name], run=run))


FAILURES: tuple[tuple[Run, str], ...] = (
    (raise_inner, INNER),
    (lookup_missing, INNER),
    (divide_in_the_database, "division by zero"),
    (make_no_result, INNER),
    (make_unwritable, "Unable to serialize"),
)


def test_an_error_in_an_action_is_reported_as_over_rest(
    case: Case,
    endpoint: Endpoint,
    key: str,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    params = {"name": "list_repos", "arguments": {}}
    for run, inner in FAILURES:
        with case(run.__name__):
            with monkeypatch.context() as patch:
                replace_action(patch, "list_repos", run)
                rest = json.loads(call(key, "list_repos", {}).content)
                caplog.clear()
                for version in PROTOCOL_VERSIONS:
                    response = endpoint.ask(key, "tools/call", params, version)
                    result = response.json()["result"]
                    text = result["content"][0]["text"]
                    incident = assert_logged(text, caplog, inner)
                    assert result["isError"]
                    assert text == f"Internal Server Error: {OURS.format(incident)}"
                    assert INCIDENT.sub("", text).endswith(INCIDENT.sub("", rest["detail"]))
                    assert_nothing_inner(response)
            assert endpoint.call(key, "list_repos", {})["structuredContent"] == {
                "repos": [],
                "more": False,
            }


def test_a_database_timeout_is_reported_with_advice_to_retry(
    case: Case, endpoint: Endpoint, key: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    arguments = {"fullName": "acme/lost"}
    params = {"name": "connect_repo", "arguments": arguments}
    for version in PROTOCOL_VERSIONS:
        with case(version):
            with monkeypatch.context() as patch:
                replace_action(patch, "connect_repo", exceed_the_statement_timeout)
                response = endpoint.ask(key, "tools/call", params, version)
            text = response.json()["result"]["content"][0]["text"]
            assert text == (
                "Service Unavailable: The database did not respond. Nothing was changed; try again."
            )
            assert_nothing_inner(response)
            assert not Repository.objects.exists()
            assert not endpoint.call(key, "connect_repo", arguments, version)["isError"]


def test_a_completed_change_is_not_denied_when_rendering_fails(
    case: Case,
    endpoint: Endpoint,
    key: str,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    monkeypatch.setattr(tool_calls, "render_result", raise_inner)
    params = {"name": "connect_repo", "arguments": {"fullName": "acme/done"}}
    for version in PROTOCOL_VERSIONS:
        with case(version):
            caplog.clear()
            response = endpoint.ask(key, "tools/call", params, version)
            text = response.json()["result"]["content"][0]["text"]
            assert DONE in text
            assert "nothing was changed" not in text
            assert_logged(text, caplog, INNER)
            assert_nothing_inner(response)
            assert Repository.objects.get().full_name == "acme/done"


@dataclass(frozen=True)
class Fault:
    """A function behind a request, for the test to let fail."""

    module: Any
    name: str
    method: str
    params: dict[str, str] = field(default_factory=dict)


FAULTS = (
    Fault(server, "tools_of", "tools/list"),
    Fault(server, "templates_of", "resources/templates/list"),
    Fault(server, "call_tool", "tools/call", {"name": "list_repos"}),
    Fault(image_resources, "screenshot_of", "resources/read", {"uri": URI}),
)


def test_an_error_in_any_other_request_is_a_protocol_error_with_our_message(
    case: Case,
    endpoint: Endpoint,
    key: str,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    for fault in FAULTS:
        with case(fault.name):
            caplog.clear()
            with monkeypatch.context() as patch:
                patch.setattr(fault.module, fault.name, raise_inner)
                for version in PROTOCOL_VERSIONS:
                    response = endpoint.ask(key, fault.method, fault.params, version)
                    error = response.json()["error"]
                    incident = assert_logged(response.text, caplog, INNER)
                    assert (error["code"], error["message"]) == (-32603, OURS.format(incident))
                    assert_nothing_inner(response)
            assert endpoint.result(key, "tools/list")["tools"]


def test_a_failure_before_the_protocol_begins_is_a_problem_document(
    case: Case,
    endpoint: Endpoint,
    key: str,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    for name in ("caller_of_bearer", "read_message"):
        with case(name):
            caplog.clear()
            with monkeypatch.context() as patch:
                patch.setattr(endpoint_module, name, raise_inner)
                for version in PROTOCOL_VERSIONS:
                    response = endpoint.ask(key, "tools/list", version=version)
                    document = response.json()
                    assert (response.status_code, document["status"]) == (500, 500)
                    assert response.headers["content-type"] == "application/problem+json"
                    assert document["incident"] == assert_logged(document["detail"], caplog, INNER)
                    assert_nothing_inner(response)
            assert endpoint.result(key, "tools/list")["tools"]


def test_a_missing_image_file_is_reported_without_its_path(
    case: Case, endpoint: Endpoint, personas: Personas, key: str, blobs_folder: Path
) -> None:
    world = World(personas.alice)
    shot = world.shot(world.publish({"a": "red"}), "a")
    for path in [path for path in blobs_folder.rglob("*") if path.is_file()]:
        path.unlink()
    resource = {"uri": f"visual-review://screenshots/{shot.id}/after"}
    arguments = {"buildId": shot.build_id, "screenshots": ["#1"]}
    tool = {"name": "get_images", "arguments": arguments}
    for version in PROTOCOL_VERSIONS:
        with case(version):
            responses = [
                endpoint.ask(key, "resources/read", resource, version),
                endpoint.ask(key, "tools/call", tool, version),
            ]
            assert "error" in responses[0].json()
            assert responses[1].json()["result"]["isError"]
            for response in responses:
                assert str(blobs_folder) not in response.text
                assert_nothing_inner(response)


def test_an_error_of_ours_outside_a_call_keeps_its_message(
    case: Case, endpoint: Endpoint, key: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def unavailable(*_arguments: object) -> None:
        raise UnavailableError("The storage is away; try again.")

    monkeypatch.setattr(image_resources, "screenshot_of", unavailable)
    for version in PROTOCOL_VERSIONS:
        with case(version):
            error = endpoint.ask(key, "resources/read", {"uri": URI}, version).json()["error"]
            assert error == {"code": -32603, "message": "The storage is away; try again."}


def rejected(key: str, action: str, body: dict[str, Any], status: int) -> dict[str, Any]:
    response = call(key, action, body)
    assert response.status_code == status
    document: dict[str, Any] = json.loads(response.content)
    return document


def tool_error(endpoint: Endpoint, key: str, tool: str, arguments: dict[str, Any]) -> str:
    result = endpoint.call(key, tool, arguments)
    assert result["isError"] is True
    assert "structuredContent" not in result
    (block,) = result["content"]
    return str(block["text"])


def test_null_is_named_at_its_place(key: str, endpoint: Endpoint) -> None:
    body = {"repoId": None, "productKey": None}
    document = rejected(key, "list_builds", body, 400)
    assert document["errors"] == [
        {"pointer": "/repoId", "detail": "must not be null; it is required"},
        {"pointer": "/productKey", "detail": "must not be null; omit it instead"},
    ]
    assert "/repoId: must not be null" in document["detail"]
    assert "- /repoId: must not be null; it is required" in tool_error(
        endpoint, key, "list_builds", body
    )


def test_the_detail_counts_what_it_does_not_name(key: str, endpoint: Endpoint) -> None:
    body = dict.fromkeys((f"name{number}" for number in range(30)), 1)
    document = rejected(key, "list_repos", body, 400)
    assert document["detail"].endswith("; and 27 more")
    assert len(document["errors"]) == 30
    text = tool_error(endpoint, key, "list_repos", body)
    assert text.endswith("\n- and 10 more")
    for number in range(20):
        assert text.count(f"/name{number}:") == 1


def test_a_model_reads_each_error_once(case: Case, world: World, endpoint: Endpoint) -> None:
    key = user_key(world.persona)
    repo = world.repository.id
    for tool, arguments, part in (
        ("list_builds", {"repo_id": repo, "repoId": repo}, "did you mean 'repoId'?"),
        ("list_builds", {"repoId": "a\0b"}, "contains a NUL"),
        (
            "set_repo_capture",
            {"repoId": repo, "themes": ["light"], "resetToAuto": True},
            "together",
        ),
        ("connect_repo", {"fullName": "acme"}, "owner/repo"),
        ("get_build", {"buildId": repo}, "is the id of a repository"),
    ):
        with case(f"{tool} {arguments}"):
            assert tool_error(endpoint, key, tool, arguments).count(part) == 1


def test_an_id_of_another_kind_is_explained_as_over_mcp(
    case: Case, world: World, endpoint: Endpoint
) -> None:
    key, build = user_key(world.persona), world.publish({"a": "red"})
    for action, body, wanted, listed_by in (
        ("list_builds", {"repoId": build.id}, "repository", "list_repos"),
        ("get_build", {"buildId": world.repository.id}, "build", "list_builds"),
        ("approve_build", {"buildId": "acme/web"}, "build", "list_builds"),
        ("review_screenshot", {"screenshotId": build.id, "state": "approved"}, "shot", "get_build"),
        ("delete_recording", {"recordingId": build.id}, "recording", "list_recordings"),
    ):
        with case(action):
            document = rejected(key, action, body, 404)
            (error,) = document["errors"]
            assert error["pointer"] == f"/{next(iter(body))}"
            assert wanted in document["detail"]
            assert listed_by in document["detail"]
            assert document["detail"] in tool_error(endpoint, key, action, body)


def test_an_id_of_another_organization_reads_like_an_unknown_one(
    world: World, personas: Personas, endpoint: Endpoint
) -> None:
    build = world.publish({"a": "red"})
    key = user_key(personas.mallory)
    for action, name, theirs in (
        ("get_build", "buildId", build.id),
        ("list_builds", "repoId", world.repository.id),
        ("approve_build", "buildId", build.id),
    ):
        unknown = new_id(theirs.partition("_")[0])
        assert rejected(key, action, {name: theirs}, 404) == rejected(
            key, action, {name: unknown}, 404
        )
        assert tool_error(endpoint, key, action, {name: theirs}) == tool_error(
            endpoint, key, action, {name: unknown}
        )


def test_a_name_that_is_almost_an_action_is_completed(key: str, endpoint: Endpoint) -> None:
    for name in ("List_Repos", "list-repos", "list_repos/", "listRepos", "list_repo"):
        assert "Did you mean 'list_repos'?" in rejected(key, name, {}, 404)["detail"]
    assert "Did you mean" not in rejected(key, "zzz", {}, 404)["detail"]
    # One of the names alone would have the caller approve everything.
    assert (
        "Did you mean 'approve_all_screenshots' or 'approve_story_screenshots' or "
        "'review_screenshot'?" in rejected(key, "approve_screenshot", {}, 404)["detail"]
    )
    response = endpoint.ask(key, "tools/call", {"name": "listRepos", "arguments": {}})
    assert response.json()["error"]["message"] == (
        "There is no tool 'listRepos'. Did you mean 'list_repos'?"
    )
