"""All URLs of the service, and the views for Django's own errors."""

import sys
from http import HTTPStatus
from typing import Final

from django.db import InterfaceError, OperationalError
from django.http import HttpRequest, HttpResponse
from django.urls import URLPattern, URLResolver, include, path

from visual_review.api.blobs import serve_blob
from visual_review.api.errors import describe_error, problem_response
from visual_review.api.paths import describe_unknown_path, is_api_path
from visual_review.api.security_txt import security_txt
from visual_review.api.shared_images import serve_shared_image
from visual_review.web import errors as pages

UNREADABLE: Final = (
    "The request cannot be processed; the Host header, for example, must be the service's own."
)
FAILED: Final = "The service failed unexpectedly; its log has details."
urlpatterns: list[URLPattern | URLResolver] = [
    path("api/", include("visual_review.api.urls")),
    path(".well-known/security.txt", security_txt, name="security_txt"),
    path(".well-known/", include("visual_review.api.oauth.well_known")),
    path("blobs/<path:key>", serve_blob, name="blob"),
    path("shared-pictures/<str:token>", serve_shared_image, name="shared_picture"),
    path("", include("visual_review.web.urls")),
]
handler400 = "visual_review.config.urls.bad_request"
handler403 = "visual_review.web.errors.forbidden"
handler404 = "visual_review.config.urls.not_found"
# Used by allauth when a rate limit is exceeded.
handler429 = "visual_review.web.errors.too_many_requests"
handler500 = "visual_review.config.urls.server_error"


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
