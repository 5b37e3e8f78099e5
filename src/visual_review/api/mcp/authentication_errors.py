"""What a client is told that must sign in first, or again for more (RFC 6750, RFC 9728)."""

from typing import Final

from visual_review.accounts.oauth.scopes import SCOPES

REALM: Final = "Visual Review"


def challenge(public_url: str, error: str = "", description: str = "") -> str:
    """The value of ``WWW-Authenticate``; ``error`` is one of RFC 6750's, or empty."""
    parts = {
        "realm": REALM,
        "error": error,
        "error_description": description,
        # Asking for both leaves the choice to the person, on the page of consent.
        "scope": " ".join(SCOPES),
        "resource_metadata": f"{public_url}/.well-known/oauth-protected-resource/api/mcp",
    }
    return "Bearer " + ", ".join(f'{name}="{value}"' for name, value in parts.items() if value)
