"""Errors as problem documents (RFC 9457). Only this module maps kernel errors to HTTP statuses."""

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
    TooManyAttemptsError,
    UnauthenticatedError,
    UnavailableError,
    VisualReviewError,
)
from visual_review.kernel.ids import new_id

PROBLEM_TYPE: Final = "application/problem+json"
CHALLENGE: Final = 'Bearer realm="Visual Review"'
RETRY_HINT: Final = "Nothing was changed; try again."
RETRY_SECONDS: Final = "5"
# More errors than anyone reads would make the response as large as the request.
MAX_SHOWN: Final = 50
MAX_POINTER: Final = 300

logger = logging.getLogger(__name__)

View = Callable[..., HttpResponseBase]


class UnsupportedMediaTypeError(VisualReviewError):
    """The endpoint does not accept the content type of the body."""


# The first matching class decides, so subclasses come before their bases.
STATUS_OF: Final[tuple[tuple[type[VisualReviewError], HTTPStatus], ...]] = (
    (UnauthenticatedError, HTTPStatus.UNAUTHORIZED),
    (ForbiddenError, HTTPStatus.FORBIDDEN),
    (NotFoundError, HTTPStatus.NOT_FOUND),
    (ConflictError, HTTPStatus.CONFLICT),
    (TooLargeError, HTTPStatus.REQUEST_ENTITY_TOO_LARGE),
    (UnsupportedMediaTypeError, HTTPStatus.UNSUPPORTED_MEDIA_TYPE),
    (TooManyAttemptsError, HTTPStatus.TOO_MANY_REQUESTS),
    (StorageFullError, HTTPStatus.INSUFFICIENT_STORAGE),
    (UnavailableError, HTTPStatus.SERVICE_UNAVAILABLE),
    (InvalidInputError, HTTPStatus.BAD_REQUEST),
)
# Failures possibly resolved by a retry; the last one occurs when a row found by a call is deleted
# before the end of the call.
TRANSIENT_ERRORS: Final[tuple[tuple[type[Exception], HTTPStatus, str], ...]] = (
    (
        UnreadablePostError,
        HTTPStatus.BAD_REQUEST,
        "The body ended before its Content-Length was reached.",
    ),
    (
        OperationalError,
        HTTPStatus.SERVICE_UNAVAILABLE,
        f"The database did not respond. {RETRY_HINT}",
    ),
    (InterfaceError, HTTPStatus.SERVICE_UNAVAILABLE, f"The database did not respond. {RETRY_HINT}"),
    (IntegrityError, HTTPStatus.SERVICE_UNAVAILABLE, f"Another change interfered. {RETRY_HINT}"),
)


def problem_response(
    status: HTTPStatus,
    detail: str,
    problems: list[tuple[str, str]] | None = None,
    **more: Any,  # noqa: ANN401 - Extension members are any JSON.
) -> HttpResponse:
    """Return a problem document; ``problems`` are (JSON pointer, message), ``more`` is added."""
    document = problem_document(status, detail, **more)
    if problems:
        document["errors"] = [
            {"pointer": pointer[:MAX_POINTER], "detail": message}
            for pointer, message in problems[:MAX_SHOWN]
        ]
    response = HttpResponse(json.dumps(document), content_type=PROBLEM_TYPE, status=status)
    # A URL with an error now may have a result later.
    response["Cache-Control"] = "no-store"
    # RFC 9110 requires the challenge with every 401.
    if status == HTTPStatus.UNAUTHORIZED:
        response["WWW-Authenticate"] = CHALLENGE
    if status == HTTPStatus.SERVICE_UNAVAILABLE:
        response["Retry-After"] = RETRY_SECONDS
    return response


def problem_document(status: HTTPStatus, detail: str, **more: Any) -> dict[str, Any]:  # noqa: ANN401 - As above.
    """Return the members of every problem document, and ``more``."""
    return {
        "type": problem_type(status),
        "title": status.phrase,
        "status": int(status),
        "detail": detail,
        **more,
    }


def problem_type(status: HTTPStatus) -> str:
    """Return the URI of a problem type: one per status."""
    return f"urn:visual-review:problem:{status.phrase.lower().replace(' ', '-')}"


@dataclass(frozen=True)
class ErrorDescription:
    """The facts on an error for a caller; ``incident`` is the log entry of an internal error."""

    status: HTTPStatus
    detail: str
    problems: list[tuple[str, str]]
    incident: str | None = None
    # In place of the detail, next to the whole list of problems.
    summary: str = ""


def describe_error(error: Exception) -> ErrorDescription:
    """Describe any error to a caller of any interface; internal errors are only logged."""
    if isinstance(error, VisualReviewError):
        status = next((status for kind, status in STATUS_OF if isinstance(error, kind)), None)
        if isinstance(error, UnavailableError):
            logger.warning("a call was refused: %s", error)
        return _describe_known(error, status) if status else _internal_error(error)
    for kind, status, detail in TRANSIENT_ERRORS:
        if isinstance(error, kind):
            logger.warning(detail, exc_info=error)
            return ErrorDescription(status, detail, [])
    return _internal_error(error)


def _describe_known(error: VisualReviewError, status: HTTPStatus) -> ErrorDescription:
    if isinstance(error, InvalidInputError):
        return ErrorDescription(status, str(error), error.problems, summary=error.summary)
    problems = error.problems if isinstance(error, NotFoundError) else []
    return ErrorDescription(status, str(error), problems)


def error_response(error: Exception) -> HttpResponse:
    """Return the problem document of an error."""
    found = describe_error(error)
    more = {} if found.incident is None else {"incident": found.incident}
    response = problem_response(found.status, found.detail, found.problems, **more)
    if isinstance(error, TooManyAttemptsError):
        response["Retry-After"] = str(error.retry_after)
    return response


def api_endpoint(*methods: str) -> Callable[[View], View]:
    """Make a view an API endpoint: only ``methods``, no CSRF, errors as problem documents."""

    def decorate(view: View) -> View:
        # Forged forms carry cookies, and no API endpoint reads cookies.
        @csrf_exempt
        @wraps(view)
        def endpoint(request: HttpRequest, *args: object, **kwargs: object) -> HttpResponseBase:
            if request.method not in methods:
                return _method_not_allowed(request, methods)
            try:
                return view(request, *args, **kwargs)
            except Exception as error:  # noqa: BLE001 - An endpoint always responds.
                return error_response(error)

        return endpoint

    return decorate


def _method_not_allowed(request: HttpRequest, methods: tuple[str, ...]) -> HttpResponse:
    allowed = ", ".join(methods)
    response = problem_response(
        HTTPStatus.METHOD_NOT_ALLOWED, f"{request.method} is not allowed here; use {allowed}."
    )
    response["Allow"] = allowed
    return response


def _internal_error(error: Exception) -> ErrorDescription:
    # The caller gets an id to quote, and no internals.
    incident = new_id("incident")
    logger.error("unexpected failure %s", incident, exc_info=error)
    detail = (
        f"The service failed unexpectedly; nothing was changed. Its log has details under "
        f"'{incident}'."
    )
    return ErrorDescription(HTTPStatus.INTERNAL_SERVER_ERROR, detail, [], incident)
