"""Implements ``visual-review password-link``; needs Django."""

from visual_review.accounts.recovery import create_operator_password_link
from visual_review.config.environment import StartupError
from visual_review.config.schema_version import check_migrations
from visual_review.kernel.errors import VisualReviewError

CLIENT = "visual-review password-link"


def create(email: str, *, remove_factors: bool = False) -> str:
    """Return the link; raises StartupError."""
    check_migrations()
    try:
        return create_operator_password_link(email, CLIENT, remove_factors=remove_factors)
    except VisualReviewError as error:
        raise StartupError(str(error)) from error
