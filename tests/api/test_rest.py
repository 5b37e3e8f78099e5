import json
from collections.abc import Callable
from typing import Any

import pytest
from django.db import DataError, IntegrityError, OperationalError
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.test import Client, RequestFactory

from tests.support.api_keys import call, organization_key
from tests.support.case import Case
from tests.support.personas import Personas
from visual_review.api.errors import api_endpoint
from visual_review.kernel.errors import (
    ConflictError,
    StorageFullError,
    UnavailableError,
    VisualReviewError,
)

SMALL = b"{}"


def problem(response: HttpResponse) -> dict[str, Any]:
    assert response["Content-Type"] == "application/problem+json"
    document: dict[str, Any] = json.loads(response.content)
    assert document["status"] == response.status_code
    assert {"type", "title", "detail"} <= document.keys()
    return document


def test_a_call_returns_only_its_result_and_is_not_cached(key: str) -> None:
    response = call(key, "list_repos", SMALL)
    assert response.status_code == 200
    assert json.loads(response.content) == {"result": {"repos": [], "more": False}}
    assert response["Cache-Control"] == "no-store"
    assert not response.cookies


@pytest.mark.django_db
def test_an_unknown_caller_learns_nothing_of_action_permission_or_input() -> None:
    for bearer in (None, "vr_user_wrong", "vr_ci_wrong", "nonsense"):
        response = call(bearer, "no_such_action", b"not json")
        assert response.status_code == 401
        assert response["WWW-Authenticate"].startswith("Bearer")
        problem(response)


def test_an_unknown_action_comes_before_permission_and_input(personas: Personas) -> None:
    key = organization_key(personas.alice, ())
    for name in ("no_such_action", "list_repos/", "list_repos/more", "list_host_accounts"):
        response = call(key, name, b"not json")
        assert response.status_code == 404, name
        problem(response)


def test_a_missing_permission_comes_before_the_input(personas: Personas) -> None:
    response = call(organization_key(personas.alice, ("builds:view",)), "list_repos", b"not json")
    assert response.status_code == 403
    assert "repos:view" in problem(response)["detail"]


WRONG_BODIES = (
    (b"", "not JSON"),
    (b"{", "line 1, column 2"),
    (b"[]", "JSON object"),
    (b'"text"', "JSON object"),
    (b"null", "JSON object"),
    (b'{"a": NaN}', "NaN"),
    (b'{"a": -Infinity}', "Infinity"),
    (b'{"a": 1e999}', "number"),
    (b'{"a": ' + b"1" * 5000 + b"}", "too many digits"),
    (b'{"a": 1, "a": 2}', "'a' twice"),
    (b'{"a": {"b": 1, "b": 2}}', "'b' twice"),
    (b'{"a": "\xff"}', "not UTF-8"),
    (b"\xef\xbb\xbf{}", "not JSON"),
    (b'{"a": "\\u0000"}', "'/a' contains a NUL"),
    (b'{"a": ["x", "\\ud800"]}', "'/a/1' contains half"),
    (b'{"\\u0000": 1}', "NUL"),
    (b'{"a": ' + b"[" * 60 + b"]" * 60 + b"}", "deeper than 50"),
    (b'{"a": ' + b"[" * 400_000 + b"]" * 400_000 + b"}", "deeper than 50"),
    (b'{"a": ' * 90_000 + b"1" + b"}" * 90_000, "deeper than 50"),
    (b'{"unknown": 1}', "unknown"),
)


def test_an_invalid_body_is_rejected_with_its_error(case: Case, key: str) -> None:
    for body, expected in WRONG_BODIES:
        with case(f"{body!r:.60}"):
            response = call(key, "list_repos", body)
            assert response.status_code == 400
            assert expected in problem(response)["detail"]


def test_a_body_above_the_limit_is_rejected_unread(key: str) -> None:
    response = call(key, "list_repos", b'{"a": "' + b"x" * (1024 * 1024) + b'"}')
    assert response.status_code == 413
    problem(response)


OTHER_TYPES = (
    "text/plain",
    "application/x-www-form-urlencoded",
    "application/json; charset=latin-1",
    "",
)


def test_a_body_of_another_type_is_rejected(case: Case, key: str) -> None:
    for kind in OTHER_TYPES:
        with case(repr(kind)):
            response = call(key, "list_repos", SMALL, CONTENT_TYPE=kind)
            assert response.status_code == 415
            problem(response)


def test_a_body_without_a_length_is_asked_for_one(key: str) -> None:
    response = call(key, "list_repos", SMALL, CONTENT_LENGTH="", HTTP_TRANSFER_ENCODING="chunked")
    # The server gives every body a length; without one, the status is still a documented one.
    assert response.status_code == 400
    assert "Content-Length" in problem(response)["detail"]


OTHER_METHODS = ("get", "head", "put", "patch", "delete", "options", "trace")


def test_other_methods_are_rejected_with_the_right_one(case: Case, client: Client) -> None:
    for method in OTHER_METHODS:
        with case(method):
            response = getattr(client, method)("/api/rest/actions/list_repos")
            assert response.status_code == 405
            assert response["Allow"] == "POST"


SECRET = "password=hunter2 at /srv/app/secret.py"


def failing(error: Exception) -> Callable[..., HttpResponseBase]:
    @api_endpoint("POST")
    def view(_request: HttpRequest) -> HttpResponse:
        raise error

    return view


def call_failing(error: Exception) -> tuple[HttpResponseBase, dict[str, object]]:
    response = failing(error)(RequestFactory().post("/"))
    assert response["Content-Type"] == "application/problem+json"
    assert isinstance(response, HttpResponse)
    return response, json.loads(response.content)


UNEXPECTED = (RuntimeError(SECRET), DataError(SECRET), KeyError(SECRET))


def test_an_unexpected_error_returns_an_incident_id_and_no_internals(
    case: Case, caplog: pytest.LogCaptureFixture
) -> None:
    for error in UNEXPECTED:
        with case(repr(error)):
            caplog.clear()
            response, document = call_failing(error)
            assert response.status_code == 500
            assert "hunter2" not in json.dumps(document)
            assert str(document["incident"]) in str(document["detail"])
            assert str(document["incident"]) in caplog.text
            assert "hunter2" in caplog.text


STATUSES: tuple[tuple[VisualReviewError, int], ...] = (
    (ConflictError("Words."), 409),
    (UnavailableError("Words."), 503),
    (StorageFullError("Words."), 507),
)


def test_an_error_for_the_caller_is_returned_as_it_is(case: Case) -> None:
    for error, status in STATUSES:
        with case(repr(error)):
            response, document = call_failing(error)
            assert (response.status_code, document["detail"]) == (status, "Words.")


PASSING = (OperationalError(SECRET), IntegrityError(SECRET))


def test_a_failure_that_passes_asks_for_another_try(case: Case) -> None:
    for error in PASSING:
        with case(repr(error)):
            response, document = call_failing(error)
            assert response.status_code == 503
            assert int(response["Retry-After"]) > 0
            assert "hunter2" not in json.dumps(document)
