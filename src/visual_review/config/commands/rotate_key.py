"""Implements ``visual-review rotate-key``; needs Django."""

from visual_review.config.environment import ENCRYPTION_KEYS
from visual_review.config.errors import StartupError
from visual_review.config.key_rotation import encrypt_all_again
from visual_review.config.schema_version import check_migrations


def rotate_key() -> str:
    """Encrypt every secret with the newest key; raises StartupError."""
    check_migrations()
    rotation = encrypt_all_again()
    counts = (
        f"{rotation.encrypted} secrets were encrypted with the newest key; "
        f"{rotation.already_newest} already were."
    )
    if rotation.broken:
        raise StartupError(
            f"{counts} None of the keys decrypts the secrets of {', '.join(rotation.broken)}: add "
            f"the key they were encrypted with to {ENCRYPTION_KEYS} and run this command again, or "
            "store new credentials on the page 'Git provider'."
        )
    return counts
