"""Random credentials: shown once, stored as a hash, with the time of their last use."""

import hashlib
import secrets
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from django.db.models import Model, Q

# Recording every call would add a write to each read; a minute is precise enough.
RECORDED_EVERY: Final = timedelta(minutes=1)
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


def record_use(
    kind: type[Model], row_id: str, last_used_at: datetime | None, moment: datetime
) -> None:
    """Record the use of a row in ``last_used_at``, at most once a minute."""
    if last_used_at is not None and moment - last_used_at <= RECORDED_EVERY:
        return
    # Another process may have recorded a call in the meantime.
    due = Q(last_used_at=None) | Q(last_used_at__lt=moment - RECORDED_EVERY)
    kind._default_manager.filter(due, pk=row_id).update(last_used_at=moment)  # noqa: SLF001 - Django's documented name.


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
