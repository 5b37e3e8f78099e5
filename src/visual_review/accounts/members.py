"""The members of an organization: roles, removal, and help with a forgotten password."""

from django.db.models import QuerySet

from visual_review.accounts.callers import Caller
from visual_review.accounts.links import password_token
from visual_review.accounts.models import ApiKey, Grant, Membership, Organization
from visual_review.kernel.clock import now
from visual_review.kernel.errors import ConflictError, NotFoundError

MEMBER_UNKNOWN = "There is no member with this id."
LAST_OWNER = (
    "This is the only owner. Make somebody else an owner first, so that the organization keeps one."
)


def members_of(organization_id: str) -> QuerySet[Membership]:
    """The memberships with their users, by when they joined."""
    rows = Membership.objects.filter(organization_id=organization_id).select_related("user")
    return rows.order_by("created_at", "id")


def member_of(organization_id: str, membership_id: str) -> Membership:
    """One of them; raises NotFoundError, also for another organization's."""
    row = members_of(organization_id).filter(pk=membership_id).first()
    if row is None:
        raise NotFoundError(MEMBER_UNKNOWN)
    return row


def loses_last_owner(before: str, after: str | None, owners: int) -> bool:
    """Whether changing a member's role (None: removal) leaves the organization without owner."""
    return before == "owner" and after != "owner" and owners <= 1


def change_role(caller: Caller, membership_id: str, role: str) -> tuple[Membership, str]:
    """Give a member another role; returns the membership and the former role.

    Raises NotFoundError, and ConflictError for the last owner.
    """
    membership = _lock(caller, membership_id)
    former = membership.role
    _keep_an_owner(membership, role)
    membership.role = role
    membership.save(update_fields=["role"])
    return membership, former


def remove_member(caller: Caller, membership_id: str) -> Membership:
    """End a membership, the person's keys and connected apps here; raises as ``change_role``."""
    membership = _lock(caller, membership_id)
    _keep_an_owner(membership, None)
    # A later invitation must not bring old keys and apps back to life.
    here = {"organization_id": caller.organization_id, "user": membership.user}
    ApiKey.objects.filter(**here, revoked_at=None).update(revoked_at=now())
    Grant.objects.filter(**here, disconnected_at=None).update(disconnected_at=now())
    Membership.objects.filter(pk=membership.pk).delete()
    return membership


def password_link_token(caller: Caller, membership_id: str) -> tuple[Membership, str]:
    """A one-time token with which the member chooses a new password.

    Raises NotFoundError, and ConflictError for a member of other organizations too: who holds
    the link could act there.
    """
    membership = member_of(caller.organization_id, membership_id)
    if membership.user.memberships.exclude(pk=membership.pk).exists():
        raise ConflictError(
            f"{membership.user} belongs to other organizations too, so nobody here can make a "
            "password link for them. They can ask for one by mail on the sign-in page."
        )
    return membership, password_token(membership.user)


def _lock(caller: Caller, membership_id: str) -> Membership:
    # One lock per organization: two owners demoting each other at once must not both succeed.
    Organization.objects.select_for_update().get(pk=caller.organization_id)
    return member_of(caller.organization_id, membership_id)


def _keep_an_owner(membership: Membership, role: str | None) -> None:
    owners = Membership.objects.filter(
        organization_id=membership.organization_id, role="owner"
    ).count()
    if loses_last_owner(membership.role, role, owners):
        raise ConflictError(LAST_OWNER)
