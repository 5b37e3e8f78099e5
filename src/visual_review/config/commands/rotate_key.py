"""What ``visual-review reseal`` does, with Django at hand."""

from visual_review.config.environment import ENCRYPTION_KEYS
from visual_review.config.errors import StartupError
from visual_review.config.schema_version import check_migrations
from visual_review.repositories.key_rotation import rotate_all


def rotate_key() -> str:
    """Seal every secret with the newest key; raises StartupError in words."""
    check_migrations()
    done = rotate_all()
    counts = (
        f"{done.sealed} secrets were sealed with the newest key; {done.newest_before} had been "
        "before."
    )
    if done.broken:
        raise StartupError(
            f"{counts} None of the keys opens the secrets of {', '.join(done.broken)}: add the key "
            f"they were sealed with to {ENCRYPTION_KEYS} and run this again, or store new credentials "
            "on the page 'Source host'."
        )
    return counts
