"""The authorization server: handles authorization, token and revocation requests."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final
from urllib.parse import urlencode

from django.db import transaction
from django.http import QueryDict
from oauth2_provider.oauth2_validators import OAuth2Validator
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
from oauthlib.oauth2.rfc6749.errors import InvalidGrantError

from visual_review.accounts.models import AccessToken, Grant, RefreshToken, TokenFamily
from visual_review.accounts.oauth import tokens
from visual_review.accounts.oauth.authorization_requests import (
    KNOWN_PARAMETERS,
    ErrorResponse,
    find_repeated_parameter,
    find_request_error,
    find_resource_error,
    is_verifier,
)
from visual_review.accounts.oauth.clients import ClientRow, stored_client
from visual_review.accounts.oauth.grants import record_reuse, record_sign_out
from visual_review.accounts.oauth.lifetimes import (
    ACCESS_LIFETIME,
    FAMILY_LIFETIME,
    classify_refresh,
)
from visual_review.accounts.oauth.redirects import (
    Redirect,
    add_response_parameters,
    is_registered,
    parse_redirect,
)
from visual_review.accounts.oauth.resource import is_ours, issuer
from visual_review.accounts.oauth.scopes import intersect_scopes, scope_text
from visual_review.accounts.oauth.tokens import Request
from visual_review.accounts.secrets import digest
from visual_review.kernel.clock import now
from visual_review.kernel.errors import InvalidInputError

# The toolkit's validator, with stricter rules and our own tables.
#
# The toolkit's token tables stay empty: the toolkit stores codes unhashed, and with hashed tokens it
# would return an empty token within the grace period of a rotation.

SIGN_IN_EXPIRED = "This sign-in has expired. Sign in again."
# The library's own messages are for developers of clients; users read the messages here.
_FATAL_REASONS: Final = {
    MissingClientIdError: ": it has no client ID",
    InvalidClientIdError: ": its client ID is unknown",
    MissingRedirectURIError: ": it has no redirect URI",
    InvalidRedirectURIError: ": its redirect URI is not registered for the app",
    MismatchingRedirectURIError: ": its redirect URI is not registered for the app",
}


class Validator(OAuth2Validator):  # type: ignore[misc] # The toolkit has no types.
    """Allows public clients, codes with PKCE and refresh tokens; makes no network requests."""

    def _load_application(self, client_id: str, request: Request) -> ClientRow:
        # Documents are fetched before, outside the transaction for new tokens.
        if request.client is None or request.client.client_id != client_id:
            request.client = stored_client(client_id)
        return request.client

    def client_authentication_required(
        self, request: Request, *_more: object, **_named: object
    ) -> bool:
        """Return False: no client has a secret, PKCE proves the identity of the client."""
        _ = request
        return False

    def is_pkce_required(self, client_id: str, request: Request) -> bool:
        _ = client_id, request
        return True

    def validate_response_type(
        self, client_id: str, response_type: str, *_more: object, **_named: object
    ) -> bool:
        _ = client_id
        return response_type == "code"

    def validate_redirect_uri(
        self, client_id: str, redirect_uri: str, request: Request, *_more: object, **_named: object
    ) -> bool:
        _ = client_id
        return is_registered(redirect_uri, request.client.redirect_uris.split())

    def get_default_redirect_uri(
        self, client_id: str, request: Request, *_more: object, **_named: object
    ) -> str:
        """Return the redirect URI of the code (OAuth 2.1), or the only registered one."""
        family = request.__dict__.get("family")
        if isinstance(family, TokenFamily):
            return family.redirect_uri
        return str(super().get_default_redirect_uri(client_id, request))

    def save_authorization_code(
        self,
        client_id: str,
        code: dict[str, str],
        request: Request,
        *_more: object,
        **_named: object,
    ) -> None:
        _ = client_id
        tokens.create_family(
            request.grant_row,
            code["code"],
            scope_text(request.scopes),
            request.redirect_uri,
            request.code_challenge,
        )

    def validate_code(
        self,
        client_id: str,
        code: str,
        client: ClientRow,
        request: Request,
        *_more: object,
        **_named: object,
    ) -> bool:
        _ = client_id
        family = tokens.find_family_by_code(code, client)
        if family is None:
            return False
        if family.code_used_at is not None:
            _revoke_reused(family, "code")
            return False
        if family.code_expires_at <= now() or not tokens.is_alive(family):
            return False
        # The library reports a missing verifier.
        if request.code_verifier and not is_verifier(request.code_verifier):
            return False
        request.family = family
        request.user = family.grant.user
        request.scopes = family.scope.split()
        return True

    def get_code_challenge(self, code: str, request: Request) -> str:
        _ = code
        return str(request.family.code_challenge)

    def get_code_challenge_method(self, code: str, request: Request) -> str:
        _ = code, request
        return "S256"

    def confirm_redirect_uri(
        self,
        client_id: str,
        code: str,
        redirect_uri: str,
        client: ClientRow,
        request: Request,
        *_more: object,
        **_named: object,
    ) -> bool:
        _ = client_id, code, client
        if redirect_uri != request.family.redirect_uri:
            # RFC 6749, 5.2; the library would return another error.
            raise InvalidGrantError(request=request)
        return True

    def invalidate_authorization_code(self, *_more: object, **_named: object) -> None:
        """Do nothing: ``save_bearer_token`` marks the code as used, under the family's lock."""

    def validate_refresh_token(
        self,
        refresh_token: str,
        client: ClientRow,
        request: Request,
        *_more: object,
        **_named: object,
    ) -> bool:
        token = tokens.find_refresh_token(refresh_token, client)
        if token is None:
            return False
        # Tokens of earlier versions may expire later than their family.
        last = min(token.expires_at, token.family.created_at + FAMILY_LIFETIME)
        use = classify_refresh(token.rotated_at, last, now())
        if use == "reused":
            _revoke_reused(token.family, "refresh token")
        if use == "expired":
            raise InvalidGrantError(description=SIGN_IN_EXPIRED, request=request)
        if use == "reused" or not tokens.is_alive(token.family):
            return False
        request.family = token.family
        request.refresh_row = token
        request.user = token.family.grant.user
        return True

    def get_original_scopes(
        self, refresh_token: str, request: Request, *_more: object, **_named: object
    ) -> list[str]:
        _ = refresh_token
        # Scopes removed by the person in the meantime are not granted again.
        return intersect_scopes(request.family.scope, request.family.grant.scope).split()

    def save_bearer_token(
        self, token: dict[str, str], request: Request, *_more: object, **_named: object
    ) -> None:
        moment = now()
        family = request.family
        row = request.__dict__.get("refresh_row")
        if isinstance(row, RefreshToken):
            # The grace period starts with the first use; a second use does not extend the period.
            RefreshToken.objects.filter(pk=row.pk, rotated_at=None).update(rotated_at=moment)
        else:
            TokenFamily.objects.filter(pk=family.pk).update(code_used_at=moment)
        tokens.store_tokens(family, token["access_token"], token["refresh_token"], token["scope"])

    def revoke_token(
        self, token: str, token_type_hint: str, request: Request, *_more: object, **_named: object
    ) -> None:
        """Revoke a refresh token with its family, an access token alone (RFC 7009)."""
        _ = token_type_hint
        family = (
            TokenFamily.objects.select_related("grant__user", "grant__application")
            .filter(grant__application=request.client, refresh_tokens__secret_hash=digest(token))
            .first()
        )
        if family is not None and tokens.end_family(family, now()):
            record_sign_out(family.grant)
        AccessToken.objects.filter(
            family__grant__application=request.client, secret_hash=digest(token)
        ).delete()


def _revoke_reused(family: TokenFamily, what: str) -> None:
    if tokens.end_family(family, now()):
        record_reuse(family.grant, what)


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
