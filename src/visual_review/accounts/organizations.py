"""Creates an organization with its owner."""

from visual_review.accounts.models import Membership, Organization, User
from visual_review.audit.log import Actor, Change, Target, record
from visual_review.kernel.errors import InvalidInputError

NAME_LENGTH = 150


def clean_name(name: str) -> str:
    """Return the name without spaces around it; raises InvalidInputError."""
    shown = name.strip()
    # Shown in mails and page headers, where a line break could imitate other text.
    if not 1 <= len(shown) <= NAME_LENGTH or not shown.isprintable():
        raise InvalidInputError(
            f"An organization's name must have 1 to {NAME_LENGTH} printable characters.",
            [("/organizationName", f"Enter 1 to {NAME_LENGTH} printable characters.")],
        )
    return shown


def create_organization(name: str, actor: Actor) -> Organization:
    """Create an organization without members, in the caller's transaction."""
    shown = clean_name(name)
    organization = Organization.objects.create(name=shown)
    created = Target("organization", organization.id, organization.name)
    record(organization.id, actor, Change("organization.created", created, after={"name": shown}))
    return organization


def add_owner(
    organization: Organization, owner: User, actor: Actor, *, created_account: bool
) -> None:
    """Make a person an owner; ``created_account``: the account was made for the role."""
    Membership.objects.create(
        organization=organization, user=owner, role="owner", created_account=created_account
    )
    joined = Change("member.joined", Target("user", owner.id, owner.email), after={"role": "owner"})
    record(organization.id, actor, joined)
