"""Metadata for clients to read first: the requirements of the resource, and how to meet them."""

from typing import Any

from django.http import HttpRequest, HttpResponse

from visual_review.accounts.oauth.resource import issuer, resource
from visual_review.accounts.oauth.scopes import SCOPES
from visual_review.api.oauth.endpoint import json_response, oauth_endpoint

CACHE = "public, max-age=300"


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
