"""Django's own errors: problem documents below ``/api``, pages elsewhere."""

import sys
from http import HTTPStatus
from typing import Final

from django.db import InterfaceError, OperationalError
from django.http import HttpRequest, HttpResponse

from visual_review.api.errors import describe_error, problem_response
from visual_review.api.paths import describe_unknown_path, is_api_path
from visual_review.web import errors as pages

UNREADABLE: Final = (
    "The request cannot be processed; the Host header, for example, must be the service's own."
)
FAILED: Final = "The service failed unexpectedly; its log has details."


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    if is_api_path(request.path):
        return problem_response(HTTPStatus.BAD_REQUEST, UNREADABLE)
    return pages.bad_request(request, exception)


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    if is_api_path(request.path):
        return problem_response(HTTPStatus.NOT_FOUND, describe_unknown_path(request.path))
    return pages.not_found(request, exception)


def server_error(request: HttpRequest) -> HttpResponse:
    # Django's middleware may have failed, before any view was called.
    error = sys.exception()
    if isinstance(error, (OperationalError, InterfaceError)):
        found = describe_error(error)
        if is_api_path(request.path):
            return problem_response(found.status, found.detail)
        return pages.database_unavailable(found.detail)
    if is_api_path(request.path):
        return problem_response(HTTPStatus.INTERNAL_SERVER_ERROR, FAILED)
    return pages.server_error(request)
