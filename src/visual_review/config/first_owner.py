"""The options for the first owner."""

from dataclasses import dataclass

from visual_review.config.environment import StartupError

DEFAULT_ORGANIZATION = "My organization"


@dataclass(frozen=True)
class FirstOwner:
    """The first owner, for installations where no one opens the setup link."""

    email: str
    password: str
    organization: str = DEFAULT_ORGANIZATION


def parse_owner_options(email: str, password: str, organization: str) -> FirstOwner | None:
    """Return the first owner from the options; raises StartupError when one is missing."""
    if not email and not password:
        return None
    if not email or not password:
        raise StartupError(
            "The first owner needs both an e-mail address and a password. Set --owner-email and "
            "--owner-password, or VISUAL_REVIEW_OWNER_EMAIL and VISUAL_REVIEW_OWNER_PASSWORD."
        )
    return FirstOwner(email, password, organization or DEFAULT_ORGANIZATION)
