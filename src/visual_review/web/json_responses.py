"""JSON for the scripts of a page: compact, compressed where that pays, errors as one sentence."""

import gzip
import json
from collections.abc import Callable, Mapping
from functools import wraps
from http import HTTPStatus
from typing import Any, Final

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.urls import reverse
from django.utils.cache import add_never_cache_headers, patch_vary_headers

from visual_review.kernel.errors import ForbiddenError, VisualReviewError
from visual_review.web.errors import status_of
from visual_review.web.membership import current_membership
from visual_review.web.requests import NOT_A_MEMBER, reject_nul

# A file is such a response, too.
View = Callable[..., HttpResponseBase]
JSON: Final = "application/json"
SIGNED_OUT: Final = "You are signed out. Sign in again; nothing of what you decided is lost."
# A packet of the network takes as much as this.
COMPRESSED_FROM: Final = 1400
# The fastest level: a higher one saves a fifth of the bytes and takes three times as long.
LEVEL: Final = 1


def json_member_required(view: View) -> View:
    """Decorate a JSON view for members: errors are JSON, too, and nothing redirects.

    The response is not cached, unless the view says otherwise.
    """

    @wraps(view)
    def wrapped(request: HttpRequest, *args: object, **kwargs: object) -> HttpResponseBase:
        response = _respond(view, request, *args, **kwargs)
        if not response.has_header("Cache-Control"):
            add_never_cache_headers(response)
        return response

    return wrapped


def _respond(view: View, request: HttpRequest, *args: object, **kwargs: object) -> HttpResponseBase:
    if not request.user.is_authenticated:
        return _signed_out(request)
    try:
        reject_nul(request)
        if current_membership(request) is None:
            raise ForbiddenError(NOT_A_MEMBER)
        return view(request, *args, **kwargs)
    except VisualReviewError as error:
        return json_response(request, {"error": str(error)}, status_of(error))


def json_response(
    request: HttpRequest, value: Mapping[str, Any], status: int = HTTPStatus.OK
) -> HttpResponse:
    """Return ``value`` as JSON, which must contain no secret: its compressed size is visible."""
    body = json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()
    response = HttpResponse(body, content_type=JSON, status=status)
    patch_vary_headers(response, ["Accept-Encoding"])
    if len(body) >= COMPRESSED_FROM and _accepts_gzip(request):
        response.content = gzip.compress(body, LEVEL, mtime=0)
        response["Content-Encoding"] = "gzip"
    response["Content-Length"] = str(len(response.content))
    return response


def _accepts_gzip(request: HttpRequest) -> bool:
    accepted = request.headers.get("Accept-Encoding", "").lower().replace(" ", "").split(",")
    return any(
        each.partition(";")[0] in {"gzip", "*"} and not each.endswith((";q=0", ";q=0.0"))
        for each in accepted
    )


def _signed_out(request: HttpRequest) -> HttpResponse:
    value = {"error": SIGNED_OUT, "signInUrl": reverse("account_login")}
    response = json_response(request, value, HTTPStatus.UNAUTHORIZED)
    # HTTP requires it; browsers know no such scheme, so they ask for no password.
    response["WWW-Authenticate"] = "Session"
    return response
