"""Migrates the database, and creates the first owner or a link that does."""

from dataclasses import dataclass

from django.core.management import call_command
from django.db import connection

from visual_review.accounts.setup import create_first_owner, first_owner_needed, make_setup_link
from visual_review.config.errors import StartupError
from visual_review.config.schema_version import check_database_is_not_newer
from visual_review.kernel.errors import VisualReviewError

DEFAULT_ORGANIZATION = "My organization"
# Any fixed number: simultaneous migrations wait for each other.
_LOCK = 7_305_002


@dataclass(frozen=True)
class FirstOwner:
    """The first owner, for installations where no one opens the setup link."""

    email: str
    password: str
    organization: str = DEFAULT_ORGANIZATION


def migrate(owner: FirstOwner | None) -> str:
    """Apply migrations; returns the one-time setup link, or "" when it is not needed."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_lock(%s)", [_LOCK])
        try:
            check_database_is_not_newer()
            call_command("migrate", interactive=False, verbosity=0)
            return _create_first_owner_or_link(owner)
        finally:
            cursor.execute("SELECT pg_advisory_unlock(%s)", [_LOCK])


def _create_first_owner_or_link(owner: FirstOwner | None) -> str:
    if not first_owner_needed():
        return ""
    if owner is None:
        return make_setup_link()
    try:
        create_first_owner(owner.email, owner.password, owner.organization)
    except VisualReviewError as error:
        raise StartupError(f"The first owner was not created. {error}") from error
    return ""


def parse_owner_options(email: str, password: str, organization: str) -> FirstOwner | None:
    """Return the first owner from the options; raises StartupError when one is missing."""
    if not email and not password:
        return None
    if not email or not password:
        raise StartupError(
            "The first owner needs both an e-mail address and a password: --owner-email and "
            "--owner-password, or VISUAL_REVIEW_OWNER_EMAIL and VISUAL_REVIEW_OWNER_PASSWORD."
        )
    return FirstOwner(email, password, organization or DEFAULT_ORGANIZATION)
