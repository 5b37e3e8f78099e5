"""Creates organizations with their owner."""

from visual_review.accounts.callers import Channel
from visual_review.accounts.models import Membership, Organization, User
from visual_review.audit.log import Actor, Change, Target, record
from visual_review.kernel.errors import InvalidInputError

NAME_LENGTH = 150


def create_organization(name: str, owner: User, channel: Channel) -> Organization:
    """Create an organization owned by ``owner``, a new account, in the caller's transaction."""
    shown = name.strip()
    # Shown in mails and page headers, where a line break could imitate other text.
    if not 1 <= len(shown) <= NAME_LENGTH or not shown.isprintable():
        raise InvalidInputError(
            f"An organization's name must have 1 to {NAME_LENGTH} printable characters.",
            [("/organizationName", f"Enter 1 to {NAME_LENGTH} printable characters.")],
        )
    organization = Organization.objects.create(name=shown)
    Membership.objects.create(
        organization=organization, user=owner, role="owner", created_account=True
    )
    actor = Actor("user", owner.id, str(owner), channel)
    created = Target("organization", organization.id, organization.name)
    record(organization.id, actor, Change("organization.created", created, after={"name": shown}))
    joined = Change("member.joined", Target("user", owner.id, owner.email), after={"role": "owner"})
    record(organization.id, actor, joined)
    return organization
