"""``POST /api/oauth/token`` and ``POST /api/oauth/revoke``."""

from django.core.exceptions import BadRequest, SuspiciousOperation
from django.http import HttpRequest, HttpResponse

from visual_review.accounts.oauth.server import OAuthResponse, revocation_response, token_response
from visual_review.api.json_bodies import JSON_TYPE
from visual_review.api.oauth.endpoint import (
    FORM_TYPE,
    check_body_size,
    oauth_endpoint,
    oauth_error,
    rate_limited,
)


@oauth_endpoint("POST")
@rate_limited("ask_token")
def token(request: HttpRequest) -> HttpResponse:
    return _check_form(request) or _to_http(token_response(request.POST))


@oauth_endpoint("POST")
@rate_limited("ask_token")
def revoke(request: HttpRequest) -> HttpResponse:
    return _check_form(request) or _to_http(revocation_response(request.POST))


def _check_form(request: HttpRequest) -> HttpResponse | None:
    check_body_size(request)
    if request.content_type != FORM_TYPE:
        return oauth_error("invalid_request", f"Send the parameters as '{FORM_TYPE}'.")
    try:
        query, _ = request.GET, request.POST
    except (BadRequest, SuspiciousOperation):
        return oauth_error(
            "invalid_request", "There are too many parameters, or they are not in UTF-8."
        )
    # A token in a URL would appear in logs.
    if query:
        return oauth_error("invalid_request", "Send the parameters in the body, not in the URL.")
    return None


def _to_http(result: OAuthResponse) -> HttpResponse:
    response = HttpResponse(result.body, content_type=JSON_TYPE, status=result.status)
    for name, value in result.headers.items():
        response[name] = value
    response["Cache-Control"] = "no-store"
    return response
