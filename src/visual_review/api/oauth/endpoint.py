"""OAuth endpoints: open to apps in browsers, with responses in the format of RFC 6749."""

import json
from collections.abc import Callable, Mapping
from functools import wraps
from http import HTTPStatus
from typing import Any, Final

from allauth.core import ratelimit
from django.core.exceptions import BadRequest, SuspiciousOperation
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase

from visual_review.accounts.oauth.client_rules import ClientMetadataError, parse_registration
from visual_review.accounts.oauth.clients import ClientRow
from visual_review.accounts.oauth.clients import register as register_client
from visual_review.accounts.oauth.redirects import PRIVATE_SCHEMES
from visual_review.accounts.oauth.resource import issuer, resource
from visual_review.accounts.oauth.scopes import SCOPES
from visual_review.accounts.oauth.server import OAuthResponse, revocation_response, token_response
from visual_review.api.errors import View, api_endpoint
from visual_review.api.json_bodies import JSON_TYPE, content_length, read_object
from visual_review.kernel.errors import InvalidInputError, TooLargeError

FORM_TYPE: Final = "application/x-www-form-urlencoded"
# Far more than any request of OAuth needs.
BODY_LIMIT: Final = 16 * 1024
ALLOWED_HEADERS: Final = "Authorization, Content-Type, MCP-Protocol-Version"
PREFLIGHT_SECONDS: Final = "3600"
CACHE = "public, max-age=300"


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


@oauth_endpoint("POST")
@rate_limited("register_client")
def register(request: HttpRequest) -> HttpResponse:
    try:
        facts = parse_registration(read_object(request, BODY_LIMIT), PRIVATE_SCHEMES)
    except InvalidInputError as error:
        return oauth_error("invalid_client_metadata", str(error))
    except ClientMetadataError as error:
        return oauth_error(error.code, str(error))
    return json_response(_registration(register_client(facts)), HTTPStatus.CREATED)


def _registration(client: ClientRow) -> dict[str, Any]:
    """Return the registered metadata, possibly less than requested."""
    return {
        "client_id": client.client_id,
        "client_id_issued_at": int(client.created.timestamp()),
        "client_name": client.name,
        "redirect_uris": client.redirect_uris.split(),
        "grant_types": ["authorization_code", "refresh_token"],
        "response_types": ["code"],
        "token_endpoint_auth_method": "none",
    }


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


@oauth_endpoint("GET", "HEAD")
def protected_resource(_request: HttpRequest) -> HttpResponse:
    """RFC 9728."""
    return _public_response(
        {
            "resource": resource(),
            "authorization_servers": [issuer()],
            "scopes_supported": list(SCOPES),
            "bearer_methods_supported": ["header"],
            "resource_name": "Visual Review",
        }
    )


@oauth_endpoint("GET", "HEAD")
def authorization_server(_request: HttpRequest) -> HttpResponse:
    """RFC 8414. Only for the issuer without a path."""
    base = issuer()
    return _public_response(
        {
            "issuer": base,
            "authorization_endpoint": f"{base}/oauth/authorize",
            "token_endpoint": f"{base}/api/oauth/token",
            "registration_endpoint": f"{base}/api/oauth/register",
            "revocation_endpoint": f"{base}/api/oauth/revoke",
            "scopes_supported": list(SCOPES),
            "response_types_supported": ["code"],
            "response_modes_supported": ["query"],
            "grant_types_supported": ["authorization_code", "refresh_token"],
            "token_endpoint_auth_methods_supported": ["none"],
            "revocation_endpoint_auth_methods_supported": ["none"],
            "code_challenge_methods_supported": ["S256"],
            "client_id_metadata_document_supported": True,
            "authorization_response_iss_parameter_supported": True,
        }
    )


def _public_response(body: dict[str, Any]) -> HttpResponse:
    response = json_response(body)
    response["Cache-Control"] = CACHE
    return response
