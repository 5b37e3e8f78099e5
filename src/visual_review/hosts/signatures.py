"""How deliveries of webhooks are signed; pure, and shared by the hosts that sign alike."""

import hashlib
import hmac
from collections.abc import Mapping

from visual_review.hosts.errors import SignatureInvalidError


def header(headers: Mapping[str, str], name: str) -> str:
    """The header of that name in any case; empty without one."""
    wanted = name.lower()
    return next((value for key, value in headers.items() if key.lower() == wanted), "")


def hmac_sha256(body: bytes, secret: str) -> str:
    """In lower-case hexadecimal digits, as hosts write it."""
    return hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()


def require_same(given: str, wanted: str, secret: str) -> None:
    """Raise SignatureInvalidError unless both are the same; an empty ``secret`` signs nothing."""
    # Compared as bytes: a signature may hold any character somebody sends.
    if not secret or not hmac.compare_digest(given.encode(), wanted.encode()):
        raise SignatureInvalidError(
            "The delivery is not signed with the secret of this webhook. "
            "Enter the secret that the settings under 'Source host' show at the host."
        )
