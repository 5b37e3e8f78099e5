"""Resolves the bearer credential of a request: an API key, or an access token of a sign-in."""

from visual_review.accounts.callers import Caller, caller_of_key
from visual_review.accounts.oauth.access import caller_of_access_token
from visual_review.accounts.secrets import (
    ACCESS_TOKEN,
    ORGANIZATION_KEY,
    PROJECT_TOKEN,
    USER_KEY,
)
from visual_review.kernel.errors import UnauthenticatedError

KEYS = (USER_KEY, ORGANIZATION_KEY)
CREDENTIAL_INVALID = (
    "The request has no valid credential. Sign in with your MCP client, or send "
    "'Authorization: Bearer <API key>'."
)
MCP_NEEDS_API_KEY = (
    "Project tokens are for CI and cannot be used with MCP. Sign in with your MCP client, or send "
    "an API key."
)


def caller_of_bearer(text: str) -> Caller:
    """Return the caller of an API key or access token; raises UnauthenticatedError."""
    if text.startswith(KEYS):
        return caller_of_key(text, "mcp")
    if text.startswith(ACCESS_TOKEN):
        return caller_of_access_token(text)
    if text.startswith(PROJECT_TOKEN):
        raise UnauthenticatedError(MCP_NEEDS_API_KEY)
    raise UnauthenticatedError(CREDENTIAL_INVALID)
