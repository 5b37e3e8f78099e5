"""Random credentials: made once, shown once, stored as a hash."""

import hashlib
import secrets
from dataclasses import dataclass

# Prefixes tell people, doors and scanners for leaked secrets what they have found.
USER_KEY = "vr_user_"
ORGANIZATION_KEY = "vr_org_"
PROJECT_TOKEN = "vr_ci_"  # noqa: S105 - A prefix, no secret.
ACCESS_TOKEN = "vr_access_"  # noqa: S105 - A prefix, no secret.
REFRESH_TOKEN = "vr_refresh_"  # noqa: S105 - As above.
INVITATION = "vr_invite_"
SETUP = "vr_setup_"
SECRET_BYTES = 32
HINT_CHARACTERS = 4


@dataclass(frozen=True)
class Secret:
    """``text`` is for its owner's eyes, once; ``digest`` and ``hint`` are what rows keep."""

    text: str
    digest: str
    hint: str


def new_secret(prefix: str) -> Secret:
    """256 random bits behind a readable prefix."""
    text = prefix + secrets.token_urlsafe(SECRET_BYTES)
    return Secret(text, digest(text), text[: len(prefix) + HINT_CHARACTERS])


def digest(text: str) -> str:
    """SHA-256 in hex. A slow hash would add nothing: the secret has full entropy."""
    return hashlib.sha256(text.encode()).hexdigest()
