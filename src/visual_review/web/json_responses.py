"""JSON for the scripts of a page: compact, compressed where worthwhile, errors as one sentence."""

import json
from collections.abc import Callable, Mapping
from functools import wraps
from http import HTTPStatus
from typing import Any, Final

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.urls import reverse
from django.utils.cache import add_never_cache_headers, patch_vary_headers

from visual_review.actions.compression import MIN_BYTES, choose_encoding, compress
from visual_review.kernel.errors import InvalidInputError, NotFoundError, VisualReviewError
from visual_review.web.errors import status_of
from visual_review.web.organization_switching import find_elsewhere
from visual_review.web.requests import reject_nul, require_membership

# A file is such a response, too.
View = Callable[..., HttpResponseBase]
JSON: Final = "application/json"
SIGNED_OUT: Final = "You are signed out. Sign in again; nothing of what you decided is lost."

SWITCH_BACK: Final = "You switched to another organization. Switch back, then reload this page."


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
        require_membership(request)
        return view(request, *args, **kwargs)
    except NotFoundError as error:
        elsewhere = find_elsewhere(request, kwargs)
        if elsewhere is None:
            return json_response(request, {"error": str(error)}, HTTPStatus.NOT_FOUND)
        value = {
            "error": f"{elsewhere.message} {SWITCH_BACK}",
            "organization": elsewhere.membership.organization.name,
        }
        return json_response(request, value, HTTPStatus.NOT_FOUND)
    except VisualReviewError as error:
        return json_response(request, {"error": str(error)}, status_of(error))


def json_response(
    request: HttpRequest, value: Mapping[str, Any], status: int = HTTPStatus.OK
) -> HttpResponse:
    """Return ``value`` as JSON, without any secret: the compressed size is visible."""
    body = json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()
    response = HttpResponse(body, content_type=JSON, status=status)
    patch_vary_headers(response, ["Accept-Encoding"])
    encoding = None
    if len(body) >= MIN_BYTES:
        encoding = choose_encoding(request.headers.get("Accept-Encoding", ""))
    if encoding is not None:
        response.content = compress(body, encoding)
        response["Content-Encoding"] = encoding
    response["Content-Length"] = str(len(response.content))
    return response


def read_json(request: HttpRequest) -> dict[str, Any]:
    """Return the object in the body. Raises InvalidInputError."""
    try:
        value = json.loads(request.body)
    except (ValueError, RecursionError) as error:
        raise InvalidInputError("The request is not valid JSON.") from error
    if not isinstance(value, dict):
        raise InvalidInputError("The request must be a JSON object.")
    return value


def _signed_out(request: HttpRequest) -> HttpResponse:
    value = {"error": SIGNED_OUT, "signInUrl": reverse("account_login")}
    response = json_response(request, value, HTTPStatus.UNAUTHORIZED)
    # HTTP requires the header; browsers know no such scheme, so they ask for no password.
    response["WWW-Authenticate"] = "Session"
    return response
