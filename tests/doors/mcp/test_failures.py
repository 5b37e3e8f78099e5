"""Whatever fails behind the MCP door: words and a number to quote reach the client, no more."""

import json
import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import httpx
import pytest
from django.db import connection

from tests.doors.keys import call, user_key
from tests.doors.mcp.client import ERAS, Endpoint, Era
from tests.personas import Personas
from tests.worlds import World
from visual_review.accounts.callers import Caller
from visual_review.actions import registry
from visual_review.actions.action import Action, Outcome
from visual_review.actions.schema import ActionResult
from visual_review.api.mcp import calls, door, pictures, server
from visual_review.api.mcp.calls import DONE
from visual_review.kernel.errors import UnavailableError
from visual_review.repositories.models import Repository

INNER = "hunter2 in /srv/secret.py"
LEAKS = (
    *("hunter2", "/srv", "RuntimeError", "KeyError", "DataError", "ValidationError", "pydantic"),
    *("Traceback", "psycopg", "SELECT", "zero", "statement", "serialize"),
)
URI = "visual-review://screenshots/shot_01m7ysj8512tcvvq9gxat1w8fb/after"
INCIDENT = re.compile(r"incident_[0-9a-z]{26}")
OURS = "The service failed unexpectedly; nothing was changed. Its log tells more under '{}'."

Run = Callable[[Caller, Any], Outcome[Any]]


class Unwritable(ActionResult):
    """A result that JSON has no form for."""

    value: Any


class Broken(ActionResult):
    number: int


@pytest.fixture
def key(personas: Personas) -> str:
    return user_key(personas.alice)


def told_nothing_inner(answer: httpx.Response) -> None:
    for word in LEAKS:
        assert word not in answer.text


def assert_logged(text: str, caplog: pytest.LogCaptureFixture, inner: str) -> str:
    """The number the words name, which must lead to the whole story in the log."""
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
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT 1/0 -- {INNER}")
    raise AssertionError


def make_no_result(_caller: Caller, _values: object) -> Outcome[Any]:
    return Outcome(Broken.model_validate({"number": INNER}))


def make_unwritable(_caller: Caller, _values: object) -> Outcome[Any]:
    return Outcome(Unwritable(value=object()))


def put_in(monkeypatch: pytest.MonkeyPatch, name: str, run: Run) -> None:
    """Let the action ``name`` of the registry do something else in this test."""
    known: dict[str, Action[Any, Any]] = registry._PUBLISHED_BY_NAME  # noqa: SLF001 - No other way in.
    monkeypatch.setitem(known, name, replace(known[name], run=run))


@pytest.mark.parametrize(
    ("run", "inner"),
    [
        (raise_inner, INNER),
        (lookup_missing, INNER),
        (divide_in_the_database, "division by zero"),
        (make_no_result, INNER),
        (make_unwritable, "Unable to serialize"),
    ],
)
def test_a_failure_in_an_action_is_told_as_over_rest(
    endpoint: Endpoint,
    key: str,
    run: Run,
    inner: str,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    put_in(monkeypatch, "list_repos", run)
    rest = json.loads(call(key, "list_repos", {}).content)
    caplog.clear()
    for era in ERAS:
        answer = endpoint.ask(key, "tools/call", {"name": "list_repos", "arguments": {}}, era)
        result = answer.json()["result"]
        text = result["content"][0]["text"]
        incident = assert_logged(text, caplog, inner)
        assert result["isError"]
        assert text == f"Internal Server Error: {OURS.format(incident)}"
        assert INCIDENT.sub("", text).endswith(INCIDENT.sub("", rest["detail"]))
        told_nothing_inner(answer)
    monkeypatch.undo()
    assert endpoint.call(key, "list_repos", {})["structuredContent"] == {"repos": []}


@pytest.mark.parametrize("era", ERAS)
def test_a_database_that_does_not_answer_is_told_to_try_again(
    endpoint: Endpoint, key: str, era: Era, monkeypatch: pytest.MonkeyPatch
) -> None:
    def wait(_caller: Caller, _values: object) -> Outcome[Any]:
        Repository.objects.create(organization_id=_caller.organization_id, full_name="acme/lost")
        with connection.cursor() as cursor:
            cursor.execute("SET LOCAL statement_timeout = 1")
            cursor.execute("SELECT pg_sleep(10)")
        raise AssertionError

    with monkeypatch.context() as patch:
        put_in(patch, "connect_repo", wait)
        arguments = {"fullName": "acme/lost"}
        params = {"name": "connect_repo", "arguments": arguments}
        answer = endpoint.ask(key, "tools/call", params, era)
    text = answer.json()["result"]["content"][0]["text"]
    assert text == (
        "Service Unavailable: The database did not answer. Nothing was changed; try again."
    )
    told_nothing_inner(answer)
    assert not Repository.objects.exists()
    assert not endpoint.call(key, "connect_repo", arguments, era)["isError"]


@pytest.mark.parametrize("era", ERAS)
def test_what_was_done_is_not_denied_when_its_words_fail(
    endpoint: Endpoint,
    key: str,
    era: Era,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    monkeypatch.setattr(calls, "answer_of", raise_inner)
    params = {"name": "connect_repo", "arguments": {"fullName": "acme/done"}}
    answer = endpoint.ask(key, "tools/call", params, era)
    text = answer.json()["result"]["content"][0]["text"]
    assert DONE in text
    assert "nothing was changed" not in text
    assert_logged(text, caplog, INNER)
    told_nothing_inner(answer)
    assert Repository.objects.get().full_name == "acme/done"


@dataclass(frozen=True)
class Fault:
    """A function behind a request, which the test lets fail."""

    module: Any
    name: str
    method: str
    params: dict[str, str] = field(default_factory=dict)


@pytest.mark.parametrize(
    "fault",
    [
        Fault(server, "tools_of", "tools/list"),
        Fault(server, "caller_of", "tools/list"),
        Fault(server, "templates_of", "resources/templates/list"),
        Fault(server, "call_tool", "tools/call", {"name": "list_repos"}),
        Fault(pictures, "picture_for_reading", "resources/read", {"uri": URI}),
    ],
    ids=lambda fault: fault.name,
)
def test_a_failure_in_any_other_request_is_an_error_of_the_protocol_in_our_words(
    endpoint: Endpoint,
    key: str,
    fault: Fault,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    monkeypatch.setattr(fault.module, fault.name, raise_inner)
    for era in ERAS:
        answer = endpoint.ask(key, fault.method, fault.params, era)
        error = answer.json()["error"]
        assert error["code"] == -32603
        assert error["message"] == OURS.format(assert_logged(answer.text, caplog, INNER))
        told_nothing_inner(answer)
    monkeypatch.undo()
    assert endpoint.result(key, "tools/list")["tools"]


@pytest.mark.parametrize("name", ["caller_of_bearer", "read_message"])
def test_a_failure_of_the_door_itself_is_a_problem_document(
    endpoint: Endpoint,
    key: str,
    name: str,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    monkeypatch.setattr(door, name, raise_inner)
    for era in ERAS:
        answer = endpoint.ask(key, "tools/list", era=era)
        document = answer.json()
        assert (answer.status_code, document["status"]) == (500, 500)
        assert answer.headers["content-type"] == "application/problem+json"
        assert document["incident"] == assert_logged(document["detail"], caplog, INNER)
        told_nothing_inner(answer)
    monkeypatch.undo()
    assert endpoint.result(key, "tools/list")["tools"]


@pytest.mark.parametrize("era", ERAS)
def test_a_picture_whose_bytes_are_gone_is_told_without_its_place(
    endpoint: Endpoint, personas: Personas, key: str, era: Era, blobs_folder: Path
) -> None:
    world = World(personas.alice)
    shot = world.shot(world.publish({"a": "red"}), "a")
    for path in [path for path in blobs_folder.rglob("*") if path.is_file()]:
        path.unlink()
    uri = f"visual-review://screenshots/{shot.id}/after"
    answers = [
        endpoint.ask(key, "resources/read", {"uri": uri}, era),
        endpoint.ask(
            key,
            "tools/call",
            {"name": "get_screenshot_images", "arguments": {"screenshotId": shot.id}},
            era,
        ),
    ]
    assert "error" in answers[0].json()
    assert answers[1].json()["result"]["isError"]
    for answer in answers:
        assert str(blobs_folder) not in answer.text
        told_nothing_inner(answer)


@pytest.mark.parametrize("era", ERAS)
def test_a_refusal_of_ours_outside_a_call_keeps_its_words(
    endpoint: Endpoint, key: str, era: Era, monkeypatch: pytest.MonkeyPatch
) -> None:
    def unavailable(*_arguments: object) -> None:
        raise UnavailableError("The storage is away; try again.")

    monkeypatch.setattr(pictures, "picture_for_reading", unavailable)
    error = endpoint.ask(key, "resources/read", {"uri": URI}, era).json()["error"]
    assert error == {"code": -32603, "message": "The storage is away; try again."}
