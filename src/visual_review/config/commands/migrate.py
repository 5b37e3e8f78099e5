"""Brings the database to this program's version, and makes the first owner possible."""

from dataclasses import dataclass

from django.core.management import call_command
from django.db import connection

from visual_review.accounts.setup import create_first_owner, first_owner_needed, make_setup_link
from visual_review.config.errors import StartupError
from visual_review.config.schema_version import refuse_newer_database
from visual_review.kernel.errors import VisualReviewError

DEFAULT_ORGANIZATION = "My organization"
# Any fixed number: two migrations at once wait for each other.
_LOCK = 7_305_002


@dataclass(frozen=True)
class FirstOwner:
    """Who owns the service first, where nobody is there to open the setup link."""

    email: str
    password: str
    organization: str = DEFAULT_ORGANIZATION


def migrate(owner: FirstOwner | None) -> str:
    """Apply what is missing; answers the one-time setup link, or nothing when it is not needed."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_lock(%s)", [_LOCK])
        try:
            refuse_newer_database()
            call_command("migrate", interactive=False, verbosity=0)
            return _first_owner(owner)
        finally:
            cursor.execute("SELECT pg_advisory_unlock(%s)", [_LOCK])


def _first_owner(owner: FirstOwner | None) -> str:
    if not first_owner_needed():
        return ""
    if owner is None:
        return make_setup_link()
    try:
        create_first_owner(owner.email, owner.password, owner.organization)
    except VisualReviewError as error:
        raise StartupError(f"The first owner was not made. {error}") from error
    return ""


def owner_from_options(email: str, password: str, organization: str) -> FirstOwner | None:
    """The first owner that options name; raises StartupError when half of it is missing."""
    if not email and not password:
        return None
    if not email or not password:
        raise StartupError(
            "The first owner needs both an address and a password: --owner-email and "
            "--owner-password, or VISUAL_REVIEW_OWNER_EMAIL and VISUAL_REVIEW_OWNER_PASSWORD."
        )
    return FirstOwner(email, password, organization or DEFAULT_ORGANIZATION)
