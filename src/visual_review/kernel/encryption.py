"""Secrets at rest: sealed with keys that can be rotated."""

import base64
import hashlib
from functools import cache

from cryptography.fernet import Fernet, InvalidToken, MultiFernet
from django.conf import settings

from visual_review.kernel.errors import VisualReviewError

# The secret key signs too; by a label of its own no use of it opens the other.
LABEL = "visual_review.sealing"


class DecryptionError(VisualReviewError):
    """None of the keys opens what was sealed."""


def encrypt(text: str) -> str:
    """``text``, sealed with the newest key."""
    return _keys(*_texts()).encrypt(text.encode()).decode()


def decrypt(sealed: str) -> str:
    """What ``seal`` was given; raises SealBrokenError when its key is gone."""
    try:
        return _keys(*_texts()).decrypt(sealed.encode()).decode()
    except InvalidToken as error:
        raise DecryptionError(
            "A stored secret cannot be opened: the key it was sealed with is not among "
            "VISUAL_REVIEW_SEALING_KEYS. Add that key again, or connect the account anew."
        ) from error


def encrypt_again(sealed: str) -> str:
    """The same text, sealed with the newest key; raises SealBrokenError."""
    return encrypt(decrypt(sealed))


def is_encrypted_with_newest_key(sealed: str) -> bool:
    """Whether the newest key alone opens it; nothing sealed needs no key."""
    if not sealed:
        return True
    try:
        _keys(_texts()[0]).decrypt(sealed.encode())
    except InvalidToken:
        return False
    return True


def _texts() -> tuple[str, ...]:
    return (*settings.ENCRYPTION_KEYS, settings.SECRET_KEY)


@cache
def _keys(*texts: str) -> MultiFernet:
    return MultiFernet(
        Fernet(base64.urlsafe_b64encode(hashlib.sha256(f"{LABEL}:{text}".encode()).digest()))
        for text in texts
    )
