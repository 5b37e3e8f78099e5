"""The first start: a one-time link creates the first owner and organization."""

from datetime import timedelta

from django.db import connection, transaction

from visual_review.accounts.callers import Channel
from visual_review.accounts.links import setup_link
from visual_review.accounts.models import Invitation, Organization, User
from visual_review.accounts.organizations import add_owner, create_organization
from visual_review.accounts.secrets import SETUP, digest, new_secret
from visual_review.accounts.users import create_user
from visual_review.audit.log import Actor
from visual_review.kernel.clock import now
from visual_review.kernel.errors import ConflictError, NotFoundError

DONE_BEFORE = "This service already has an owner. Sign in, or ask an owner for an invitation."
LINK_UNKNOWN = (
    "This setup link is not valid. Until an owner exists, each start of the service prints a new "
    "link, and only the newest works."
)
# The link expires by use or replacement; the column needs a time anyway.
_LINK_LIFETIME = timedelta(days=36_500)
# Any fixed number; the lock prevents a second first owner.
_LOCK = 7_305_001


def first_owner_needed() -> bool:
    """Whether there is no organization yet."""
    return not Organization.objects.exists()


@transaction.atomic
def make_setup_link() -> str:
    """Create a one-time link for creating the first owner; earlier links are revoked.

    Raises ConflictError when an owner exists.
    """
    lock_setup()
    if not first_owner_needed():
        raise ConflictError(DONE_BEFORE)
    secret = new_secret(SETUP)
    Invitation.objects.filter(is_setup=True, accepted_at=None, revoked_at=None).update(
        revoked_at=now()
    )
    Invitation.objects.create(
        is_setup=True, role="owner", secret_hash=secret.digest, expires_at=now() + _LINK_LIFETIME
    )
    return setup_link(secret.text)


@transaction.atomic
def create_first_owner(
    email: str, password: str, organization_name: str, channel: Channel = "cli", name: str = ""
) -> Organization:
    """Create the first user, owner of the first organization.

    Raises ConflictError if one exists (of simultaneous calls, one succeeds) and
    InvalidInputError for an invalid e-mail address, password or name.
    """
    lock_setup()
    if not first_owner_needed():
        raise ConflictError(DONE_BEFORE)
    owner = create_user(email, password, name)
    Invitation.objects.filter(is_setup=True, accepted_at=None, revoked_at=None).update(
        accepted_at=now()
    )
    actor = Actor("user", owner.id, str(owner), channel)
    organization = create_organization(organization_name, actor)
    add_owner(organization, owner, actor, created_account=True)
    return organization


def check_setup_link(secret: str) -> None:
    """Raise NotFoundError unless the link works now."""
    if not Invitation.objects.filter(
        is_setup=True, secret_hash=digest(secret), accepted_at=None, revoked_at=None
    ).exists():
        raise NotFoundError(LINK_UNKNOWN)


@transaction.atomic
def use_setup_link(
    secret: str, email: str, password: str, organization_name: str, name: str = ""
) -> User:
    """Create the first owner; raises like ``create_first_owner`` and ``check_setup_link``."""
    lock_setup()
    check_setup_link(secret)
    organization = create_first_owner(email, password, organization_name, "web", name)
    return organization.memberships.select_related("user").get().user


def lock_setup() -> None:
    """Block other calls that create the first organization, or a further one."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(%s)", [_LOCK])
