"""Error pages: the only place of the pages that knows status numbers."""

from http import HTTPStatus

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.template.loader import render_to_string

from visual_review.kernel.errors import (
    ConflictError,
    ForbiddenError,
    InvalidInputError,
    NotFoundError,
    TooLargeError,
    UnauthenticatedError,
    UnavailableError,
    VisualReviewError,
)

_STATUSES: dict[type[VisualReviewError], HTTPStatus] = {
    InvalidInputError: HTTPStatus.BAD_REQUEST,
    # Pages have no challenge to answer with, which a 401 would have to carry.
    UnauthenticatedError: HTTPStatus.FORBIDDEN,
    ForbiddenError: HTTPStatus.FORBIDDEN,
    NotFoundError: HTTPStatus.NOT_FOUND,
    ConflictError: HTTPStatus.CONFLICT,
    TooLargeError: HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
    UnavailableError: HTTPStatus.SERVICE_UNAVAILABLE,
}
_TITLES = {
    HTTPStatus.BAD_REQUEST: "This request could not be read",
    HTTPStatus.FORBIDDEN: "You may not do this",
    HTTPStatus.NOT_FOUND: "There is nothing here",
    HTTPStatus.CONFLICT: "This is not possible now",
    HTTPStatus.REQUEST_ENTITY_TOO_LARGE: "This is too large",
    HTTPStatus.TOO_MANY_REQUESTS: "Too many attempts",
    HTTPStatus.INTERNAL_SERVER_ERROR: "Something went wrong",
    HTTPStatus.SERVICE_UNAVAILABLE: "Not available right now",
}
FORM_OUTDATED = (
    "The form was outdated or came from another site. Go back, load the page again and repeat it."
)


def error_page(request: HttpRequest, error: VisualReviewError) -> HttpResponse:
    """The page for an error that may be shown as it is."""
    status = next(
        (number for kind, number in _STATUSES.items() if isinstance(error, kind)),
        HTTPStatus.INTERNAL_SERVER_ERROR,
    )
    return _page(request, status, str(error))


def _page(request: HttpRequest, status: HTTPStatus, message: str) -> HttpResponse:
    context = {"status": status.value, "title": _TITLES[status], "message": message}
    return render(request, "web/error.html", context, status=status)


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:  # noqa: ARG001 - Django passes it by name.
    return _page(request, HTTPStatus.BAD_REQUEST, "Go back and try it again.")


def forbidden(request: HttpRequest, exception: Exception) -> HttpResponse:  # noqa: ARG001 - Django passes it by name.
    return _page(request, HTTPStatus.FORBIDDEN, "Ask an owner of the organization for access.")


def form_refused(request: HttpRequest, reason: str = "") -> HttpResponse:
    """Django's view for a failed CSRF check."""
    _ = reason
    return _page(request, HTTPStatus.FORBIDDEN, FORM_OUTDATED)


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:  # noqa: ARG001 - Django passes it by name.
    return _page(
        request, HTTPStatus.NOT_FOUND, "The address is wrong, or what it named was removed."
    )


def too_many(request: HttpRequest) -> HttpResponse:
    return _page(request, HTTPStatus.TOO_MANY_REQUESTS, "Wait a few minutes, then try it again.")


def server_error(request: HttpRequest) -> HttpResponse:  # noqa: ARG001 - Django passes it.
    """Shown without context processors: what broke may be the database they read."""
    context = {
        "status": 500,
        "title": _TITLES[HTTPStatus.INTERNAL_SERVER_ERROR],
        "message": "The error was written to the service's log. Try it again in a moment.",
    }
    return HttpResponse(
        render_to_string("web/error.html", context), status=HTTPStatus.INTERNAL_SERVER_ERROR
    )
