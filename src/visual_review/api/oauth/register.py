"""``POST /api/oauth/register``: dynamic client registration (RFC 7591)."""

from http import HTTPStatus
from typing import Any

from django.http import HttpRequest, HttpResponse

from visual_review.accounts.oauth.client_rules import ClientMetadataError, parse_registration
from visual_review.accounts.oauth.clients import ClientRow
from visual_review.accounts.oauth.clients import register as register_client
from visual_review.accounts.oauth.redirects import PRIVATE_SCHEMES
from visual_review.api.json_bodies import read_object
from visual_review.api.oauth.endpoint import (
    BODY_LIMIT,
    json_response,
    oauth_endpoint,
    oauth_error,
    rate_limited,
)
from visual_review.kernel.errors import InvalidInputError


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
