"""OAuth endpoints: open to apps in browsers, with responses in the format of RFC 6749."""

import json
from collections.abc import Callable, Mapping
from functools import wraps
from http import HTTPStatus
from typing import Any, Final

from allauth.core import ratelimit
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase

from visual_review.api.errors import View, api_endpoint
from visual_review.api.json_bodies import JSON_TYPE, content_length
from visual_review.kernel.errors import TooLargeError

FORM_TYPE: Final = "application/x-www-form-urlencoded"
# Far more than any request of OAuth needs.
BODY_LIMIT: Final = 16 * 1024
ALLOWED_HEADERS: Final = "Authorization, Content-Type, MCP-Protocol-Version"
PREFLIGHT_SECONDS: Final = "3600"


def oauth_endpoint(*methods: str) -> Callable[[View], View]:
    """Make a view an API endpoint, also for pages of other sites, without cookies."""

    def decorate(view: View) -> View:
        endpoint = api_endpoint(*methods)(view)

        @wraps(endpoint)
        def cors_endpoint(
            request: HttpRequest, *args: object, **kwargs: object
        ) -> HttpResponseBase:
            is_preflight = request.method == "OPTIONS"
            response = _preflight(methods) if is_preflight else endpoint(request, *args, **kwargs)
            response["Access-Control-Allow-Origin"] = "*"
            return response

        return cors_endpoint

    return decorate


def _preflight(methods: tuple[str, ...]) -> HttpResponse:
    response = HttpResponse(status=HTTPStatus.NO_CONTENT)
    response["Access-Control-Allow-Methods"] = ", ".join(methods)
    response["Access-Control-Allow-Headers"] = ALLOWED_HEADERS
    response["Access-Control-Max-Age"] = PREFLIGHT_SECONDS
    return response


def rate_limited(action: str) -> Callable[[View], View]:
    """Return 429 beyond the rate limit of ``action`` in the settings."""

    def decorate(view: View) -> View:
        @wraps(view)
        def wrapped(request: HttpRequest, *args: object, **kwargs: object) -> HttpResponseBase:
            if ratelimit.consume(request, action=action):
                return view(request, *args, **kwargs)
            response = oauth_error(
                "temporarily_unavailable",
                "Too many requests from this IP address. Wait a minute, then try again.",
                HTTPStatus.TOO_MANY_REQUESTS,
            )
            response["Retry-After"] = "60"
            return response

        return wrapped

    return decorate


def check_body_size(request: HttpRequest) -> None:
    """Raise TooLargeError before anything is read."""
    if content_length(request) > BODY_LIMIT:
        raise TooLargeError(f"The body is larger than {BODY_LIMIT} bytes. Nothing was read.")


def json_response(body: Mapping[str, Any], status: int = HTTPStatus.OK) -> HttpResponse:
    """Return a JSON response with caching forbidden."""
    response = HttpResponse(json.dumps(body), content_type=JSON_TYPE, status=status)
    response["Cache-Control"] = "no-store"
    return response


def oauth_error(error: str, description: str, status: int = HTTPStatus.BAD_REQUEST) -> HttpResponse:
    """Return an error response as in RFC 6749, 5.2 and RFC 7591, 3.2.2."""
    return json_response({"error": error, "error_description": description}, status)
