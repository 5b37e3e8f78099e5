"""Random credentials: shown once, stored as a hash."""

import hashlib
import secrets
from dataclasses import dataclass

# Prefixes identify credentials for people, endpoints and secret scanners.
USER_KEY = "vr_user_"
ORGANIZATION_KEY = "vr_org_"
PROJECT_TOKEN = "vr_ci_"  # noqa: S105 - A prefix, not a secret.
ACCESS_TOKEN = "vr_access_"  # noqa: S105 - As above.
REFRESH_TOKEN = "vr_refresh_"  # noqa: S105 - As above.
INVITATION = "vr_invite_"
SETUP = "vr_setup_"
SECRET_BYTES = 32
HINT_CHARACTERS = 4


@dataclass(frozen=True)
class Secret:
    """``text`` is shown once to its owner; ``digest`` and ``hint`` are stored."""

    text: str
    digest: str
    hint: str


def new_secret(prefix: str) -> Secret:
    """Create a secret: a readable prefix and 256 random bits."""
    text = prefix + secrets.token_urlsafe(SECRET_BYTES)
    return Secret(text, digest(text), hint_of_secret(text, prefix))


def hint_of_secret(text: str, prefix: str) -> str:
    """Return the readable beginning of a secret."""
    return text[: len(prefix) + HINT_CHARACTERS]


def digest(text: str) -> str:
    """Return the SHA-256 in hex; a random secret needs no slow hash."""
    return hashlib.sha256(text.encode()).hexdigest()
