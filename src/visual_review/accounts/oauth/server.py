"""The authorization server: authorization requests read and answered, tokens given and taken."""

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
    KNOWN,
    Fault,
    repeated,
    request_fault,
    resource_fault,
)
from visual_review.accounts.oauth.clients import ClientRow, stored_client
from visual_review.accounts.oauth.lifetimes import ACCESS
from visual_review.accounts.oauth.redirects import Redirect, is_response_url, redirect_of
from visual_review.accounts.oauth.resource import is_ours, issuer
from visual_review.accounts.oauth.scopes import scope_text
from visual_review.accounts.oauth.validator import Validator
from visual_review.kernel.errors import InvalidInputError

# The library's own words are for authors of clients, and these are read by people.
_FATAL: Final = {
    MissingClientIdError: ": it does not say which app it is",
    InvalidClientIdError: ": it is no app that is known here",
    MissingRedirectURIError: ": it does not say where the answer should go",
    InvalidRedirectURIError: ": the answer should go to an address that it did not register",
    MismatchingRedirectURIError: ": the answer should go to an address that it did not register",
}


@dataclass(frozen=True)
class AuthorizationRequest:
    """An authorization request that may be put before the person."""

    application: ClientRow
    redirect: Redirect
    scope: str
    state: str


class InvalidAuthorizationRequestError(Exception):
    """The request has a fault that the client is told, at ``address``."""

    def __init__(self, asked: AuthorizationRequest, address: str) -> None:
        super().__init__(address)
        self.asked = asked
        self.address = address


@dataclass(frozen=True)
class Answer:
    """What the token and revocation addresses answer."""

    status: int
    headers: dict[str, str]
    body: str


def read_request(query: QueryDict) -> AuthorizationRequest:
    """Read an authorization request whose client, if it has a document, was found before.

    Raises InvalidInputError when nothing may be sent to the redirect, else AskedWronglyError.
    """
    given = _given(query)
    try:
        scopes, found = _server().validate_authorization_request(_address(given))
    except FatalClientError as error:
        raise InvalidInputError(_words(error)) from error
    except OAuth2Error as error:
        raise _wrongly(error) from error
    client = found["request"].client
    asked = AuthorizationRequest(
        client, redirect_of(found["redirect_uri"]), scope_text(scopes), found["state"] or ""
    )
    fault = request_fault(given, is_ours)
    if fault is not None:
        raise InvalidAuthorizationRequestError(asked, denied_url(asked, fault))
    return asked


def _wrongly(error: OAuth2Error) -> InvalidAuthorizationRequestError:
    # Only faults that are found after client and redirect come here, so both are known.
    client, redirect = stored_client(error.client_id), redirect_of(error.redirect_uri)
    asked = AuthorizationRequest(client, redirect, "", error.state or "")
    fault = Fault(error.error, error.description or "")
    return InvalidAuthorizationRequestError(asked, denied_url(asked, fault))


def denied_url(asked: AuthorizationRequest, fault: Fault) -> str:
    """Where the client reads that it was refused, and why."""
    answer = {"error": fault.error, "error_description": fault.description, "state": asked.state}
    told = {name: text for name, text in answer.items() if text}
    # Every answer names who gives it, so that a client asking two servers tells them apart.
    return is_response_url(asked.redirect.address, {**told, "iss": issuer()})


def granted_url(query: QueryDict, grant: Grant, scope: str) -> str:
    """Where the client finds its code; stores the code, within the caller's transaction."""
    headers, _, _ = _server().create_authorization_response(
        _address(_given(query)),
        scopes=scope.split(),
        credentials={"grant_row": grant, "user": grant.user},
    )
    return is_response_url(headers["Location"], {"iss": issuer()})


def token_response(form: QueryDict) -> Answer:
    """Exchange a code or a refresh token."""
    given = _given(form)
    fault = repeated(given) or resource_fault(given, is_ours)
    if fault is not None:
        return _error_response(fault)
    # A reused token is answered with an error and has ended its family, which must stay.
    with transaction.atomic():
        try:
            headers, body, status = _server().create_token_response(
                "/", body=urlencode(given, doseq=True), headers={}
            )
        except OAuth2Error as error:
            return Answer(error.status_code, error.headers, error.json)
    return Answer(status, headers, body)


def revocation_response(form: QueryDict) -> Answer:
    """Take a token back (RFC 7009); one that is unknown is answered as if it had been known."""
    given = _given(form)
    fault = repeated(given)
    if fault is not None:
        return _error_response(fault)
    with transaction.atomic():
        headers, body, status = _server().create_revocation_response(
            "/", body=urlencode(given, doseq=True), headers={}
        )
    return Answer(status, headers, body or "")


def _error_response(fault: Fault) -> Answer:
    told = {"error": fault.error, "error_description": fault.description}
    return Answer(400, {}, json.dumps(told))


def _server() -> WebApplicationServer:
    """Knows codes and refresh tokens only: no implicit, password, client or device grant."""
    return WebApplicationServer(
        Validator(),
        token_generator=tokens.new_access_text,
        token_expires_in=int(ACCESS.total_seconds()),
        refresh_token_generator=tokens.new_refresh_text,
    )


def _given(parameters: QueryDict) -> dict[str, list[str]]:
    """Each parameter with its values; an empty one counts as left out (RFC 6749, 3.1)."""
    values = {name: [text for text in texts if text] for name, texts in parameters.lists()}
    return {name: texts for name, texts in values.items() if texts}


def _address(given: Mapping[str, Sequence[str]]) -> str:
    """The request with the parameters we know, each as often as it was given."""
    known = {name: given[name] for name in KNOWN if name in given}
    return f"/?{urlencode(known, doseq=True)}"


def _words(error: FatalClientError) -> str:
    fault = next((words for kind, words in _FATAL.items() if isinstance(error, kind)), "")
    return (
        f"The app sent a request that cannot be answered{fault}. Nothing was sent back to it. Start again in the app; if it stays so, remove this "
        "service there and add it again."
    )
