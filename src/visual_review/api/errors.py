"""Errors as problem documents (RFC 9457). Only here do kernel errors become status numbers."""

import json
import logging
from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from http import HTTPStatus
from typing import Any, Final

from django.db import IntegrityError, InterfaceError, OperationalError
from django.http import HttpRequest, HttpResponse, UnreadablePostError
from django.http.response import HttpResponseBase
from django.views.decorators.csrf import csrf_exempt

from visual_review.kernel.errors import (
    ConflictError,
    ForbiddenError,
    InvalidInputError,
    NotFoundError,
    StorageFullError,
    TooLargeError,
    UnauthenticatedError,
    UnavailableError,
    VisualReviewError,
)
from visual_review.kernel.ids import new_id

PROBLEM_TYPE: Final = "application/problem+json"
CHALLENGE: Final = 'Bearer realm="Visual Review"'
AGAIN: Final = "Nothing was changed; try again."
RETRY_SECONDS: Final = "5"
# More faults than anybody reads would only make the answer as large as the request.
MAX_SHOWN: Final = 50
MAX_POINTER: Final = 300

logger = logging.getLogger(__name__)

View = Callable[..., HttpResponseBase]


class UnsupportedMediaTypeError(VisualReviewError):
    """The body is not of a type this address reads."""


class LengthRequiredError(VisualReviewError):
    """The request does not say how long its body is."""


# The first class that fits decides, hence subclasses before their bases.
STATUS_OF: Final[tuple[tuple[type[VisualReviewError], HTTPStatus], ...]] = (
    (UnauthenticatedError, HTTPStatus.UNAUTHORIZED),
    (ForbiddenError, HTTPStatus.FORBIDDEN),
    (NotFoundError, HTTPStatus.NOT_FOUND),
    (ConflictError, HTTPStatus.CONFLICT),
    (LengthRequiredError, HTTPStatus.LENGTH_REQUIRED),
    (TooLargeError, HTTPStatus.REQUEST_ENTITY_TOO_LARGE),
    (UnsupportedMediaTypeError, HTTPStatus.UNSUPPORTED_MEDIA_TYPE),
    (StorageFullError, HTTPStatus.INSUFFICIENT_STORAGE),
    (UnavailableError, HTTPStatus.SERVICE_UNAVAILABLE),
    (InvalidInputError, HTTPStatus.BAD_REQUEST),
)
# Failures that a second try may mend; the last comes when what a call looked up was deleted
# before the call ended.
PASSING: Final[tuple[tuple[type[Exception], HTTPStatus, str], ...]] = (
    (UnreadablePostError, HTTPStatus.BAD_REQUEST, "The body ended before its announced end."),
    (OperationalError, HTTPStatus.SERVICE_UNAVAILABLE, f"The database did not answer. {AGAIN}"),
    (InterfaceError, HTTPStatus.SERVICE_UNAVAILABLE, f"The database did not answer. {AGAIN}"),
    (IntegrityError, HTTPStatus.SERVICE_UNAVAILABLE, f"Another change came between. {AGAIN}"),
)


def problem(
    status: HTTPStatus,
    detail: str,
    problems: list[tuple[str, str]] | None = None,
    **more: Any,  # noqa: ANN401 - Extension members are whatever JSON holds.
) -> HttpResponse:
    """A problem document; ``problems`` are (JSON pointer, message), ``more`` extra members."""
    document: dict[str, Any] = {
        "type": problem_type(status),
        "title": status.phrase,
        "status": int(status),
        "detail": detail,
        **more,
    }
    if problems:
        document["errors"] = [
            {"pointer": place[:MAX_POINTER], "detail": text} for place, text in problems[:MAX_SHOWN]
        ]
    response = HttpResponse(json.dumps(document), content_type=PROBLEM_TYPE, status=status)
    # A refusal of today may be an answer tomorrow, under the same address.
    response["Cache-Control"] = "no-store"
    # RFC 9110 demands the challenge with every 401.
    if status == HTTPStatus.UNAUTHORIZED:
        response["WWW-Authenticate"] = CHALLENGE
    if status == HTTPStatus.SERVICE_UNAVAILABLE:
        response["Retry-After"] = RETRY_SECONDS
    return response


def problem_type(status: HTTPStatus) -> str:
    """The name of a kind of problem: one a status."""
    return f"urn:visual-review:problem:{status.phrase.lower().replace(' ', '-')}"


@dataclass(frozen=True)
class Explained:
    """What a caller is told of an error; ``incident`` names the log entry of a failure of ours."""

    status: HTTPStatus
    detail: str
    problems: list[tuple[str, str]]
    incident: str | None = None


def explain(error: Exception) -> Explained:
    """The words of any error, for every door; failures of ours are logged, never told."""
    if isinstance(error, VisualReviewError):
        status = next((status for kind, status in STATUS_OF if isinstance(error, kind)), None)
        problems = error.problems if isinstance(error, InvalidInputError) else []
        return Explained(status, str(error), problems) if status else _failure(error)
    for kind, status, detail in PASSING:
        if isinstance(error, kind):
            logger.warning("%s", detail, exc_info=error)
            return Explained(status, detail, [])
    return _failure(error)


def problem_of(error: Exception) -> HttpResponse:
    """The problem document of an error."""
    told = explain(error)
    more = {} if told.incident is None else {"incident": told.incident}
    return problem(told.status, told.detail, told.problems, **more)


def api_endpoint(*methods: str) -> Callable[[View], View]:
    """Make a view a door for machines: these methods only, no CSRF, every error a problem."""

    def decorate(view: View) -> View:
        # Forged forms carry cookies, and no machine door looks at any.
        @csrf_exempt
        @wraps(view)
        def answer(request: HttpRequest, *args: object, **kwargs: object) -> HttpResponseBase:
            if request.method not in methods:
                return _method_refused(request, methods)
            try:
                return view(request, *args, **kwargs)
            except Exception as error:  # noqa: BLE001 - A door answers, whatever happened behind it.
                return problem_of(error)

        return answer

    return decorate


def _method_refused(request: HttpRequest, methods: tuple[str, ...]) -> HttpResponse:
    allowed = ", ".join(methods)
    response = problem(
        HTTPStatus.METHOD_NOT_ALLOWED, f"{request.method} is not possible here; use {allowed}."
    )
    response["Allow"] = allowed
    return response


def _failure(error: Exception) -> Explained:
    # The caller learns a number to quote, and nothing of the inside.
    incident = new_id("incident")
    logger.error("unexpected failure %s", incident, exc_info=error)
    detail = (
        f"The service failed unexpectedly; nothing was changed. Its log tells more under "
        f"'{incident}'."
    )
    return Explained(HTTPStatus.INTERNAL_SERVER_ERROR, detail, [], incident)
