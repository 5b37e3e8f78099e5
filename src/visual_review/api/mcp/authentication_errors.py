"""The challenge for clients that must sign in, or need more permissions (RFC 6750, RFC 9728)."""

from typing import Final

from visual_review.accounts.oauth.scopes import SCOPES

REALM: Final = "Visual Review"


def build_challenge(public_url: str, error: str = "", description: str = "") -> str:
    """Return the value of ``WWW-Authenticate``; ``error`` is one of RFC 6750's, or empty."""
    parts = {
        "realm": REALM,
        "error": error,
        "error_description": description,
        # Requesting both leaves the choice to the person, on the consent page.
        "scope": " ".join(SCOPES),
        "resource_metadata": f"{public_url}/.well-known/oauth-protected-resource/api/mcp",
    }
    return "Bearer " + ", ".join(f'{name}="{value}"' for name, value in parts.items() if value)
