"""The doors of OAuth: open to programs in browsers, answers in the form of RFC 6749."""

import json
from collections.abc import Callable, Mapping
from functools import wraps
from http import HTTPStatus
from typing import Any, Final

from allauth.core import ratelimit
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase

from visual_review.api.errors import View, api_endpoint
from visual_review.api.json_bodies import JSON_TYPE, announced
from visual_review.kernel.errors import TooLargeError

FORM_TYPE: Final = "application/x-www-form-urlencoded"
# Far more than any request of OAuth needs.
BODY_LIMIT: Final = 16 * 1024
ALLOWED_HEADERS: Final = "Authorization, Content-Type, MCP-Protocol-Version"
PREFLIGHT_SECONDS: Final = "3600"


def oauth_endpoint(*methods: str) -> Callable[[View], View]:
    """A machine door that pages of other sites may use as well; they never send cookies along."""

    def decorate(view: View) -> View:
        door = api_endpoint(*methods)(view)

        @wraps(door)
        def answer(request: HttpRequest, *args: object, **kwargs: object) -> HttpResponseBase:
            asked = request.method == "OPTIONS"
            response = _preflight(methods) if asked else door(request, *args, **kwargs)
            response["Access-Control-Allow-Origin"] = "*"
            return response

        return answer

    return decorate


def _preflight(methods: tuple[str, ...]) -> HttpResponse:
    response = HttpResponse(status=HTTPStatus.NO_CONTENT)
    response["Access-Control-Allow-Methods"] = ", ".join(methods)
    response["Access-Control-Allow-Headers"] = ALLOWED_HEADERS
    response["Access-Control-Max-Age"] = PREFLIGHT_SECONDS
    return response


def limited(action: str) -> Callable[[View], View]:
    """Answer 429 beyond the limit of ``action``, which stands in the settings."""

    def decorate(view: View) -> View:
        @wraps(view)
        def wrapped(request: HttpRequest, *args: object, **kwargs: object) -> HttpResponseBase:
            if ratelimit.consume(request, action=action):
                return view(request, *args, **kwargs)
            response = refusal(
                "temporarily_unavailable",
                "Too many requests came from this address. Wait a minute, then try it again.",
                HTTPStatus.TOO_MANY_REQUESTS,
            )
            response["Retry-After"] = "60"
            return response

        return wrapped

    return decorate


def check_size(request: HttpRequest) -> None:
    """Raises TooLargeError before anything is read."""
    if announced(request) > BODY_LIMIT:
        raise TooLargeError(f"The body is larger than {BODY_LIMIT} bytes. Nothing was read.")


def document(body: Mapping[str, Any], status: int = HTTPStatus.OK) -> HttpResponse:
    """A JSON answer that nobody keeps."""
    response = HttpResponse(json.dumps(body), content_type=JSON_TYPE, status=status)
    response["Cache-Control"] = "no-store"
    return response


def refusal(error: str, description: str, status: int = HTTPStatus.BAD_REQUEST) -> HttpResponse:
    """An error as RFC 6749, 5.2 and RFC 7591, 3.2.2 have it."""
    return document({"error": error, "error_description": description}, status)
