"""The settings of django-oauth-toolkit: everything not supported by the service is off."""

from typing import Any

from visual_review.accounts.oauth.lifetimes import ACCESS_LIFETIME, CODE_LIFETIME, REFRESH_LIFETIME
from visual_review.accounts.oauth.redirects import PRIVATE_SCHEMES
from visual_review.accounts.oauth.scopes import READ, WRITE


def toolkit_settings(public_url: str) -> dict[str, Any]:
    """Return ``OAUTH2_PROVIDER``; ``public_url`` is the issuer.

    Our validator enforces much of the same; the settings are a second line of defense.
    """
    return {
        "OAUTH2_VALIDATOR_CLASS": "visual_review.accounts.oauth.server.Validator",
        "OAUTH2_SERVER_CLASS": "oauthlib.oauth2.WebApplicationServer",
        "OIDC_ISS_ENDPOINT": public_url,
        "SCOPES": {READ: "See everything", WRITE: "See and change"},
        "DEFAULT_SCOPES": [READ],
        "AUTHORIZATION_CODE_EXPIRE_SECONDS": int(CODE_LIFETIME.total_seconds()),
        "ACCESS_TOKEN_EXPIRE_SECONDS": int(ACCESS_LIFETIME.total_seconds()),
        "REFRESH_TOKEN_EXPIRE_SECONDS": int(REFRESH_LIFETIME.total_seconds()),
        # We store no readable tokens; the toolkit would have to, and its checks say so.
        "REFRESH_TOKEN_GRACE_PERIOD_SECONDS": 0,
        "REFRESH_TOKEN_REUSE_PROTECTION": True,
        "PKCE_REQUIRED": True,
        "ALLOWED_REDIRECT_URI_SCHEMES": ["https", "http", *PRIVATE_SCHEMES],
        "ALLOW_URI_WILDCARDS": False,
        "ALLOW_LOCALHOST_LOOPBACK": True,
        "OIDC_ENABLED": False,
        # We have our own registration: the toolkit's would issue secrets and allow other grants.
        "DCR_ENABLED": False,
        "CIMD_ENABLED": True,
        "CIMD_METADATA_FETCHER": "visual_review.api.oauth.client_documents.DocumentFetcher",
        "CIMD_MAX_CONCURRENT_FETCHES": 4,
        **_compliance(),
    }


def _compliance() -> dict[str, bool]:
    """Require RFC 9700, except that native apps may use http on loopback."""
    gates = (
        "IMPLICIT_GRANT",
        "PASSWORD_GRANT",
        "PKCE_METHOD",
        "PKCE_REQUIRED",
        "ACCESS_TOKEN_TRANSPORT",
        "AUTHZ_RESPONSE_ISS",
        "TOKEN_STORAGE",
        "REFRESH_TOKEN",
        "REDIRECT_URI_MATCHING",
    )
    return {f"COMPLIANT_BCP_RFC9700_{gate}": True for gate in gates}
