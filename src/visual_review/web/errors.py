"""Error pages: the only module of the pages that knows status codes."""

import logging
from collections.abc import Callable
from http import HTTPStatus

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.template.loader import render_to_string

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
from visual_review.web.page_context import describe_disk

logger = logging.getLogger(__name__)

_STATUSES: dict[type[VisualReviewError], HTTPStatus] = {
    InvalidInputError: HTTPStatus.BAD_REQUEST,
    # A 401 must have a WWW-Authenticate header, and pages have no scheme to name there.
    UnauthenticatedError: HTTPStatus.FORBIDDEN,
    ForbiddenError: HTTPStatus.FORBIDDEN,
    NotFoundError: HTTPStatus.NOT_FOUND,
    ConflictError: HTTPStatus.CONFLICT,
    TooLargeError: HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
    StorageFullError: HTTPStatus.INSUFFICIENT_STORAGE,
    UnavailableError: HTTPStatus.SERVICE_UNAVAILABLE,
}
# The shortest period of the limits in the settings.
RETRY_SECONDS = 60
OUTAGE_RETRY_SECONDS = 5
_TITLES = {
    HTTPStatus.BAD_REQUEST: "This request could not be read",
    HTTPStatus.FORBIDDEN: "Access denied",
    HTTPStatus.NOT_FOUND: "Page not found",
    HTTPStatus.METHOD_NOT_ALLOWED: "There is nothing to see here",
    HTTPStatus.CONFLICT: "This is not possible right now",
    HTTPStatus.REQUEST_ENTITY_TOO_LARGE: "This is too large",
    HTTPStatus.TOO_MANY_REQUESTS: "Too many attempts",
    HTTPStatus.INTERNAL_SERVER_ERROR: "Something went wrong",
    HTTPStatus.INSUFFICIENT_STORAGE: "The disk is full",
    HTTPStatus.SERVICE_UNAVAILABLE: "Not available right now",
}
ONLY_FORMS = "This URL only takes what a form sends. Go back to the page with the form."
FORM_OUTDATED = (
    "The form is outdated or was sent from another site. Go back, reload the page and try again."
)


def error_page(request: HttpRequest, error: VisualReviewError) -> HttpResponse:
    """Return the page for an error with a message for users."""
    if isinstance(error, UnavailableError):
        logger.warning("a page was refused: %s", error)
    return _render_error(request, status_of(error), str(error))


def status_of(error: VisualReviewError) -> HTTPStatus:
    """Return the status code of the response to a request failed with ``error``."""
    return next(
        (status for kind, status in _STATUSES.items() if isinstance(error, kind)),
        HTTPStatus.INTERNAL_SERVER_ERROR,
    )


def _render_error(request: HttpRequest, status: HTTPStatus, message: str) -> HttpResponse:
    context = {"status": status.value, "title": _TITLES[status], "message": message}
    return render(request, "web/error.html", context, status=status)


def explain_method_not_allowed(
    get_response: Callable[[HttpRequest], HttpResponse],
) -> Callable[[HttpRequest], HttpResponse]:
    """Middleware: show a page, not an empty response, to who opens the URL of a form."""

    def respond(request: HttpRequest) -> HttpResponse:
        response = get_response(request)
        is_page = request.method in {"GET", "HEAD"} and not request.path.startswith("/api/")
        if response.status_code != HTTPStatus.METHOD_NOT_ALLOWED or not is_page:
            return response
        page = _render_error(request, HTTPStatus.METHOD_NOT_ALLOWED, ONLY_FORMS)
        page["Allow"] = response["Allow"]
        return page

    return respond


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:  # noqa: ARG001 - Django passes it by name.
    return _render_error(request, HTTPStatus.BAD_REQUEST, "Go back and try again.")


def forbidden(request: HttpRequest, exception: Exception) -> HttpResponse:  # noqa: ARG001 - Django passes it by name.
    return _render_error(
        request, HTTPStatus.FORBIDDEN, "Ask an owner of the organization for access."
    )


def csrf_failure(request: HttpRequest, reason: str = "") -> HttpResponse:
    """Django's view for a failed CSRF check."""
    _ = reason
    # The scripts of pages ask for nothing else.
    if request.headers.get("Accept") == "application/json":
        return JsonResponse({"error": FORM_OUTDATED}, status=HTTPStatus.FORBIDDEN)
    return _render_error(request, HTTPStatus.FORBIDDEN, FORM_OUTDATED)


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:  # noqa: ARG001 - Django passes it by name.
    return _render_error(
        request, HTTPStatus.NOT_FOUND, "The URL is wrong, or the page was removed."
    )


def too_many_requests(request: HttpRequest) -> HttpResponse:
    message = "Wait a few minutes, then try again."
    response = _render_error(request, HTTPStatus.TOO_MANY_REQUESTS, message)
    response["Retry-After"] = str(RETRY_SECONDS)
    return response


def server_error(request: HttpRequest) -> HttpResponse:  # noqa: ARG001 - Django passes it.
    message = "The error was written to the service's log. Try again in a moment."
    return _render_without_database(HTTPStatus.INTERNAL_SERVER_ERROR, message)


def database_unavailable(message: str) -> HttpResponse:
    response = _render_without_database(HTTPStatus.SERVICE_UNAVAILABLE, message)
    response["Retry-After"] = OUTAGE_RETRY_SECONDS
    return response


def _render_without_database(status: HTTPStatus, message: str) -> HttpResponse:
    """Render without context processors: they read the database, which may have failed."""
    context = {
        "status": status.value,
        "title": _TITLES[status],
        "message": message,
        "disk_notice": describe_disk(warned=False),
    }
    return HttpResponse(render_to_string("web/error.html", context), status=status)
