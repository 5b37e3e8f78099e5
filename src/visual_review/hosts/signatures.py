"""Checks signatures of webhook deliveries; pure, shared by providers with the same scheme."""

import hashlib
import hmac
import re
from collections.abc import Mapping

from visual_review.hosts.errors import SignatureInvalidError

_HEXADECIMAL = re.compile("[0-9a-f]{64}")


def get_header(headers: Mapping[str, str], name: str) -> str:
    """Return the header with the name, in any case; empty without one."""
    wanted = name.lower()
    return next((value for key, value in headers.items() if key.lower() == wanted), "")


def hmac_sha256(body: bytes, secret: str) -> str:
    """Return the HMAC in lower-case hexadecimal digits, as providers write signatures."""
    return hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()


def is_hmac_sha256(text: str) -> bool:
    """Whether ``text`` has the form of such an HMAC."""
    return _HEXADECIMAL.fullmatch(text) is not None


def require_signature(given: str, wanted: str, secret: str) -> None:
    """Raise SignatureInvalidError unless both are equal; an empty ``secret`` is never valid."""
    # Compared as bytes: a sender may put any character into a signature.
    if not secret or not hmac.compare_digest(given.encode(), wanted.encode()):
        raise SignatureInvalidError(
            "The delivery is not signed with the secret of this webhook. "
            "Enter the secret from the settings under 'Git provider' at your Git provider."
        )
