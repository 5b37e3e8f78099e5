"""The members of an organization: roles, removal, and links to reset a password."""

from collections.abc import Collection
from datetime import timedelta
from typing import Final

from django.conf import settings
from django.db.models import QuerySet

from visual_review.accounts.callers import Caller
from visual_review.accounts.invitations import revoke_invitations_by
from visual_review.accounts.keys import revoke_created_keys
from visual_review.accounts.links import password_token
from visual_review.accounts.models import ApiKey, Grant, Identity, Membership, Organization, User
from visual_review.accounts.permissions import REPOS_MANAGE, permissions_of
from visual_review.accounts.users import invalidate_password_links, mail_password_link
from visual_review.audit.log import Change
from visual_review.audit.models import AuditEntry
from visual_review.kernel.clock import now
from visual_review.kernel.errors import ConflictError, NotFoundError

PASSWORD_LINK_CREATED: Final = "password.link_created"  # noqa: S105 - A verb, no secret.
MEMBER_UNKNOWN = "There is no member with this id."
LAST_OWNER = (
    "This is the only owner. Make another member an owner first: an organization needs one."
)

NEEDED_OWNER = "This owner is the one who may use a password. Name another one under Sign-in first."


def members_of(organization_id: str) -> QuerySet[Membership]:
    """List the memberships with their users, in the order of joining."""
    rows = Membership.objects.filter(organization_id=organization_id).select_related("user")
    return rows.order_by("created_at", "id")


def member_of(organization_id: str, membership_id: str) -> Membership:
    """Return a membership; raises NotFoundError, also for another organization's."""
    row = members_of(organization_id).filter(pk=membership_id).first()
    if row is None:
        raise NotFoundError(MEMBER_UNKNOWN)
    return row


def admins_of(organization_id: str) -> list[User]:
    """Return the active members who may change the settings of repositories."""
    return [
        each.user
        for each in members_of(organization_id)
        if REPOS_MANAGE in permissions_of(each.role) and each.user.is_active
    ]


def loses_last_owner(before: str, after: str | None, owners: int) -> bool:
    """Whether changing a role (None: removal) would leave the organization without an owner."""
    return before == "owner" and after != "owner" and owners <= 1


def is_demotion(before: str, after: str) -> bool:
    """Whether a role allows less than the role before."""
    return permissions_of(after) < permissions_of(before)


def change_role(caller: Caller, membership_id: str, role: str) -> tuple[Membership, str]:
    """Change the role of a member; returns the membership and the previous role.

    Raises NotFoundError, and ConflictError for the last owner.
    """
    membership = _lock(caller, membership_id)
    previous = membership.role
    _keep_an_owner(membership, role)
    membership.role = role
    membership.save(update_fields=["role"])
    return membership, previous


def remove_member(caller: Caller, membership_id: str) -> Membership:
    """Remove a member, their keys and connected apps; raises like ``change_role``."""
    membership = _lock(caller, membership_id)
    _keep_an_owner(membership, None)
    # A later invitation must not reactivate old keys and apps.
    owned = {"organization_id": caller.organization_id, "user": membership.user}
    ApiKey.objects.filter(**owned, revoked_at=None).update(revoked_at=now())
    Grant.objects.filter(**owned, disconnected_at=None).update(disconnected_at=now())
    identities = Identity.objects.filter(provider__organization=caller.organization_id)
    identities.filter(user=membership.user).delete()
    Membership.objects.filter(pk=membership.pk).delete()
    return membership


def revoke_created_access(membership: Membership, keep: Collection[str]) -> tuple[Change, ...]:
    """Revoke the organization's keys and invitations created, and therefore seen, by a member.

    For members with a lower role or none; ``keep`` are ids of keys to keep.
    """
    owned = membership.organization_id, membership.user_id
    _invalidate_links_created_by(*owned)
    return (*revoke_created_keys(*owned, keep), *revoke_invitations_by(*owned))


def _invalidate_links_created_by(organization_id: str, user_id: str) -> None:
    """Invalidate others' password links created by a member, who may still have the links."""
    lifetime = timedelta(seconds=settings.PASSWORD_RESET_TIMEOUT)
    # Links are signed and not stored, so only the audit log names their creators.
    entries = AuditEntry.objects.filter(
        organization_id=organization_id,
        verb=PASSWORD_LINK_CREATED,
        actor_kind="user",
        actor_id=user_id,
        at__gte=now() - lifetime,
    )
    for user in User.objects.filter(pk__in=list(entries.values_list("target_id", flat=True))):
        invalidate_password_links(user)


def password_link_token(caller: Caller, membership_id: str) -> tuple[Membership, str]:
    """Create a one-time token for the member to choose a new password.

    Raises NotFoundError, and ConflictError for a member of other organizations or with an older
    account: the link would give its owners access to the other organizations, or take the account
    from its person.
    """
    membership = member_of(caller.organization_id, membership_id)
    elsewhere = membership.user.memberships.exclude(pk=membership.pk).exists()
    if elsewhere or not membership.created_account:
        reason = (
            "belongs to other organizations too"
            if elsewhere
            else "had an account before joining this organization"
        )
        raise ConflictError(
            f"{membership.user} {reason}, so you cannot create a password link for them. The "
            "operator of this service can, with 'visual-review password-link'."
        )
    return membership, password_token(membership.user)


def mail_member_password_link(caller: Caller, membership_id: str) -> Membership:
    """Mail the member a link to choose a new password.

    No one else sees the link, so it is safe for members of any organization. Raises NotFoundError.
    """
    membership = member_of(caller.organization_id, membership_id)
    mail_password_link(membership.user_id)
    return membership


def _lock(caller: Caller, membership_id: str) -> Membership:
    # One lock per organization: two owners who demote each other must not both succeed.
    Organization.objects.select_for_update().get(pk=caller.organization_id)
    return member_of(caller.organization_id, membership_id)


def _keep_an_owner(membership: Membership, role: str | None) -> None:
    owners = Membership.objects.filter(
        organization_id=membership.organization_id, role="owner"
    ).count()
    if loses_last_owner(membership.role, role, owners):
        raise ConflictError(LAST_OWNER)
    if role != "owner" and membership.organization.password_owner_id == membership.user_id:
        raise ConflictError(NEEDED_OWNER)
