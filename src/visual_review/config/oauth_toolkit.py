"""The settings of django-oauth-toolkit: everything that it would allow and we do not is off."""

from typing import Any

from visual_review.accounts.oauth.lifetimes import ACCESS, CODE, REFRESH
from visual_review.accounts.oauth.redirects import PRIVATE_SCHEMES
from visual_review.accounts.oauth.scopes import READ, WRITE


def toolkit_settings(public_url: str) -> dict[str, Any]:
    """``OAUTH2_PROVIDER``; ``public_url`` is the issuer.

    Much of it our validator decides itself; said here too, it is a second lock.
    """
    return {
        "OAUTH2_VALIDATOR_CLASS": "visual_review.accounts.oauth.validator.Validator",
        "OAUTH2_SERVER_CLASS": "oauthlib.oauth2.WebApplicationServer",
        "OIDC_ISS_ENDPOINT": public_url,
        "SCOPES": {READ: "See everything", WRITE: "See and change"},
        "DEFAULT_SCOPES": [READ],
        "AUTHORIZATION_CODE_EXPIRE_SECONDS": int(CODE.total_seconds()),
        "ACCESS_TOKEN_EXPIRE_SECONDS": int(ACCESS.total_seconds()),
        "REFRESH_TOKEN_EXPIRE_SECONDS": int(REFRESH.total_seconds()),
        # Ours keeps no readable token; the toolkit's would have to, and says so in its checks.
        "REFRESH_TOKEN_GRACE_PERIOD_SECONDS": 0,
        "REFRESH_TOKEN_REUSE_PROTECTION": True,
        "PKCE_REQUIRED": True,
        "ALLOWED_REDIRECT_URI_SCHEMES": ["https", "http", *PRIVATE_SCHEMES],
        "ALLOW_URI_WILDCARDS": False,
        "ALLOW_LOCALHOST_LOOPBACK": True,
        "OIDC_ENABLED": False,
        # Registration is a door of ours: the toolkit's would give secrets and other grants.
        "DCR_ENABLED": False,
        "CIMD_ENABLED": True,
        "CIMD_METADATA_FETCHER": "visual_review.api.oauth.client_documents.DocumentFetcher",
        "CIMD_MAX_CONCURRENT_FETCHES": 4,
        **_compliance(),
    }


def _compliance() -> dict[str, bool]:
    """The gates of RFC 9700, all closed but one: native apps need http on their own machine."""
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
