"""Who comes to the MCP endpoint with a bearer credential: an API key or a connected app."""

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
    "No credential of this service came along. Sign in with your MCP client, or send "
    "'Authorization: Bearer <API key>'."
)
CI_REFUSED = (
    "This is a project token of CI, which cannot use MCP. Sign in with your MCP client, or send "
    "an API key."
)


def caller_of_bearer(text: str) -> Caller:
    """The caller behind an API key or an access token; raises UnauthenticatedError in words."""
    if text.startswith(KEYS):
        return caller_of_key(text, "mcp")
    if text.startswith(ACCESS_TOKEN):
        return caller_of_access_token(text)
    if text.startswith(PROJECT_TOKEN):
        raise UnauthenticatedError(CI_REFUSED)
    raise UnauthenticatedError(CREDENTIAL_INVALID)
