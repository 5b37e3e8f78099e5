"""Encryption of stored secrets, with rotating keys."""

import base64
import hashlib
from functools import cache

from cryptography.fernet import Fernet, InvalidToken, MultiFernet
from django.conf import settings

from visual_review.kernel.errors import VisualReviewError

# The secret key also signs; the label derives a separate key for encryption.
LABEL = "visual_review.sealing"


class DecryptionError(VisualReviewError):
    """None of the keys decrypts the text."""


def encrypt(text: str) -> str:
    """Encrypt ``text`` with the newest key."""
    return _make_fernets(*_key_texts()).encrypt(text.encode()).decode()


def decrypt(ciphertext: str) -> str:
    """Return the decrypted text; raises DecryptionError if its key is missing."""
    try:
        return _make_fernets(*_key_texts()).decrypt(ciphertext.encode()).decode()
    except InvalidToken as error:
        raise DecryptionError(
            "A stored secret cannot be decrypted: the key it was encrypted with is not in "
            "VISUAL_REVIEW_SEALING_KEYS. Add that key again, or reconnect the account."
        ) from error


def encrypt_again(ciphertext: str) -> str:
    """Encrypt the same text with the newest key; raises DecryptionError."""
    return encrypt(decrypt(ciphertext))


def is_encrypted_with_newest_key(ciphertext: str) -> bool:
    """Whether the newest key decrypts the text; an empty text needs no key."""
    if not ciphertext:
        return True
    try:
        _make_fernets(_key_texts()[0]).decrypt(ciphertext.encode())
    except InvalidToken:
        return False
    return True


def _key_texts() -> tuple[str, ...]:
    return (*settings.ENCRYPTION_KEYS, settings.SECRET_KEY)


@cache
def _make_fernets(*texts: str) -> MultiFernet:
    return MultiFernet(
        Fernet(base64.urlsafe_b64encode(hashlib.sha256(f"{LABEL}:{text}".encode()).digest()))
        for text in texts
    )
