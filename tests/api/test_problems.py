"""What an endpoint returns when something fails."""

import json
from collections.abc import Callable

import pytest
from django.db import DataError, IntegrityError, OperationalError
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.test import RequestFactory

from tests.support.case import Case
from visual_review.api.errors import api_endpoint
from visual_review.kernel.errors import (
    ConflictError,
    StorageFullError,
    UnavailableError,
    VisualReviewError,
)

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
