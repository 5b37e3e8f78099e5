"""The authorization server: handles authorization, token and revocation requests."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final
from urllib.parse import urlencode

from django.db import transaction
from django.http import QueryDict
from oauthlib.oauth2 import (
    FatalClientError,
    InvalidClientIdError,
    InvalidRedirectURIError,
    MismatchingRedirectURIError,
    MissingClientIdError,
    MissingRedirectURIError,
    OAuth2Error,
    WebApplicationServer,
)

from visual_review.accounts.models import Grant
from visual_review.accounts.oauth import tokens
from visual_review.accounts.oauth.authorization_requests import (
    KNOWN_PARAMETERS,
    ErrorResponse,
    find_repeated_parameter,
    find_request_error,
    find_resource_error,
)
from visual_review.accounts.oauth.clients import ClientRow, stored_client
from visual_review.accounts.oauth.lifetimes import ACCESS_LIFETIME
from visual_review.accounts.oauth.redirects import Redirect, add_response_parameters, parse_redirect
from visual_review.accounts.oauth.resource import is_ours, issuer
from visual_review.accounts.oauth.scopes import scope_text
from visual_review.accounts.oauth.validator import Validator
from visual_review.kernel.errors import InvalidInputError

# The library's own messages are for developers of clients; users read the messages here.
_FATAL_REASONS: Final = {
    MissingClientIdError: ": it has no client ID",
    InvalidClientIdError: ": its client ID is unknown",
    MissingRedirectURIError: ": it has no redirect URI",
    InvalidRedirectURIError: ": its redirect URI is not registered for the app",
    MismatchingRedirectURIError: ": its redirect URI is not registered for the app",
}


@dataclass(frozen=True)
class AuthorizationRequest:
    """A valid authorization request, for the user to decide on."""

    application: ClientRow
    redirect: Redirect
    scope: str
    state: str


class InvalidAuthorizationRequestError(Exception):
    """The request is invalid; ``redirect_url`` reports the error to the client."""

    def __init__(self, authorization_request: AuthorizationRequest, redirect_url: str) -> None:
        super().__init__(redirect_url)
        self.authorization_request = authorization_request
        self.redirect_url = redirect_url


@dataclass(frozen=True)
class OAuthResponse:
    """A response of the token or revocation endpoint."""

    status: int
    headers: dict[str, str]
    body: str


def read_request(query: QueryDict) -> AuthorizationRequest:
    """Read an authorization request; the document of its client was fetched before.

    Raises InvalidInputError when nothing may be sent to the redirect URI, otherwise
    InvalidAuthorizationRequestError.
    """
    parameters = _non_empty_parameters(query)
    try:
        scopes, found = _server().validate_authorization_request(_request_uri(parameters))
    except FatalClientError as error:
        raise InvalidInputError(_fatal_error_message(error)) from error
    except OAuth2Error as error:
        raise _invalid_request_error(error) from error
    client = found["request"].client
    request = AuthorizationRequest(
        client, parse_redirect(found["redirect_uri"]), scope_text(scopes), found["state"] or ""
    )
    error_response = find_request_error(parameters, is_ours)
    if error_response is not None:
        raise InvalidAuthorizationRequestError(
            request, make_error_redirect(request, error_response)
        )
    return request


def _invalid_request_error(error: OAuth2Error) -> InvalidAuthorizationRequestError:
    # The library checks client and redirect URI first, so both are known.
    client, redirect = stored_client(error.client_id), parse_redirect(error.redirect_uri)
    request = AuthorizationRequest(client, redirect, "", error.state or "")
    response = ErrorResponse(error.error, error.description or "")
    return InvalidAuthorizationRequestError(request, make_error_redirect(request, response))


def make_error_redirect(request: AuthorizationRequest, error: ErrorResponse) -> str:
    """Return the redirect URL for reporting an error to the client."""
    values = {"error": error.error, "error_description": error.description, "state": request.state}
    parameters = {name: text for name, text in values.items() if text}
    # By the issuer, a client of two servers can tell their responses apart (RFC 9207).
    return add_response_parameters(request.redirect.url, {**parameters, "iss": issuer()})


def make_code_redirect(query: QueryDict, grant: Grant, scope: str) -> str:
    """Return the redirect URL with a new code; stores the code in the caller's transaction."""
    headers, _, _ = _server().create_authorization_response(
        _request_uri(_non_empty_parameters(query)),
        scopes=scope.split(),
        credentials={"grant_row": grant, "user": grant.user},
    )
    return add_response_parameters(headers["Location"], {"iss": issuer()})


def token_response(form: QueryDict) -> OAuthResponse:
    """Exchange a code or a refresh token."""
    parameters = _non_empty_parameters(form)
    error_response = find_repeated_parameter(parameters) or find_resource_error(parameters, is_ours)
    if error_response is not None:
        return _bad_request(error_response)
    # A reused token gets an error response, but the revocation of its family must be committed.
    with transaction.atomic():
        try:
            headers, body, status = _server().create_token_response(
                "/", body=urlencode(parameters, doseq=True), headers={}
            )
        except OAuth2Error as error:
            return OAuthResponse(error.status_code, error.headers, error.json)
    return OAuthResponse(status, headers, body)


def revocation_response(form: QueryDict) -> OAuthResponse:
    """Revoke a token (RFC 7009); the response for an unknown token is the same."""
    parameters = _non_empty_parameters(form)
    error_response = find_repeated_parameter(parameters)
    if error_response is not None:
        return _bad_request(error_response)
    with transaction.atomic():
        headers, body, status = _server().create_revocation_response(
            "/", body=urlencode(parameters, doseq=True), headers={}
        )
    return OAuthResponse(status, headers, body or "")


def _bad_request(error: ErrorResponse) -> OAuthResponse:
    body = {"error": error.error, "error_description": error.description}
    return OAuthResponse(400, {}, json.dumps(body))


def _server() -> WebApplicationServer:
    """Supports codes and refresh tokens only: no implicit, password, client or device grant."""
    return WebApplicationServer(
        Validator(),
        token_generator=tokens.new_access_token,
        token_expires_in=int(ACCESS_LIFETIME.total_seconds()),
        refresh_token_generator=tokens.new_refresh_token,
    )


def _non_empty_parameters(parameters: QueryDict) -> dict[str, list[str]]:
    """Each parameter with its values; an empty one counts as omitted (RFC 6749, 3.1)."""
    values = {name: [text for text in texts if text] for name, texts in parameters.lists()}
    return {name: texts for name, texts in values.items() if texts}


def _request_uri(parameters: Mapping[str, Sequence[str]]) -> str:
    """The request with the known parameters, each as often as sent."""
    known = {name: parameters[name] for name in KNOWN_PARAMETERS if name in parameters}
    return f"/?{urlencode(known, doseq=True)}"


def _fatal_error_message(error: FatalClientError) -> str:
    reasons = (text for kind, text in _FATAL_REASONS.items() if isinstance(error, kind))
    return (
        f"The app sent an invalid authorization request{next(reasons, '')}. Nothing was sent back "
        "to the app. Start again in the app; if the error remains, remove this service from the "
        "app and add it again."
    )
