"""Members of the organization, and invitations."""

from django.conf import settings
from pydantic import Field

from visual_review.accounts.callers import Caller
from visual_review.accounts.invitations import REVOKED as INVITATION_REVOKED
from visual_review.accounts.invitations import invite, revocation_of, revoke_invitation
from visual_review.accounts.keys import REVOKED as KEY_REVOKED
from visual_review.accounts.members import (
    PASSWORD_LINK_CREATED,
    change_role,
    is_demotion,
    mail_member_password_link,
    password_link_token,
    remove_member,
    revoke_created_access,
)
from visual_review.accounts.permissions import MEMBERS_MANAGE, Role
from visual_review.actions.action import Operation, Outcome
from visual_review.actions.schema import ActionInput, ActionResult
from visual_review.audit.log import Change, Target
from visual_review.kernel.clock import rfc3339

INVITED = "member.invited"
ROLE_CHANGED = "member.role_changed"
REMOVED = "member.removed"


class InviteMemberInput(ActionInput):
    email: str
    role: Role


class InviteMemberResult(ActionResult):
    id: str
    email: str
    secret: str
    expires_at: str


def _invite_member(caller: Caller, values: InviteMemberInput) -> Outcome[InviteMemberResult]:
    """Invite an email address to the organization with a one-time link.

    The link works once, for seven days, and replaces any earlier one.
    """
    invitation, secret = invite(caller, values.email, values.role)
    expires_at = rfc3339(invitation.expires_at)
    after = {"role": invitation.role, "expiresAt": expires_at}
    change = Change(INVITED, Target("invitation", invitation.id, invitation.email), after=after)
    result = InviteMemberResult(
        id=invitation.id, email=invitation.email, secret=secret.text, expires_at=expires_at
    )
    return Outcome(result, (change,))


class RevokeInvitationInput(ActionInput):
    invitation_id: str


class RevokeInvitationResult(ActionResult):
    id: str
    email: str


def _revoke_invitation(
    caller: Caller, values: RevokeInvitationInput
) -> Outcome[RevokeInvitationResult]:
    """Revoke an invitation before its acceptance."""
    invitation = revoke_invitation(caller, values.invitation_id)
    result = RevokeInvitationResult(id=invitation.id, email=invitation.email)
    return Outcome(result, (revocation_of(invitation),))


class ChangeMemberRoleInput(ActionInput):
    membership_id: str
    role: Role
    keep_key_ids: list[str] = Field(default_factory=list)


class ChangeMemberRoleResult(ActionResult):
    id: str
    user_id: str
    name: str
    role: str


def _change_member_role(
    caller: Caller, values: ChangeMemberRoleInput
) -> Outcome[ChangeMemberRoleResult]:
    """Give a member another role.

    A lower role revokes the keys of the organization that they created, except those to keep,
    and their invitations. The last owner remains an owner.
    """
    membership, former = change_role(caller, values.membership_id, values.role)
    user = membership.user
    result = ChangeMemberRoleResult(
        id=membership.id, user_id=user.id, name=str(user), role=membership.role
    )
    # Nothing changed, so there is nothing to log.
    if former == membership.role:
        return Outcome(result)
    target = Target("user", user.id, user.email)
    change = Change(ROLE_CHANGED, target, before={"role": former}, after={"role": membership.role})
    if not is_demotion(former, membership.role):
        return Outcome(result, (change,))
    return Outcome(result, (change, *revoke_created_access(membership, values.keep_key_ids)))


class CreatePasswordLinkInput(ActionInput):
    membership_id: str


class CreatePasswordLinkResult(ActionResult):
    user_id: str
    name: str
    # The token and not the link, because only the pages know their own URLs. Empty if mailed.
    token: str


def _create_password_link(
    caller: Caller, values: CreatePasswordLinkInput
) -> Outcome[CreatePasswordLinkResult]:
    """Create a one-time link for a member to choose a new password.

    Where mail is set up, the link is mailed to the member; otherwise it is returned.
    """
    if settings.EMAIL_CONFIGURED:
        # Only the person receives the link: an owner with the link could take over the account.
        membership, token = mail_member_password_link(caller, values.membership_id), ""
    else:
        membership, token = password_link_token(caller, values.membership_id)
    user = membership.user
    change = Change(
        PASSWORD_LINK_CREATED, Target("user", user.id, user.email), after={"mailed": not token}
    )
    return Outcome(
        CreatePasswordLinkResult(user_id=user.id, name=str(user), token=token), (change,)
    )


class RemoveMemberInput(ActionInput):
    membership_id: str
    keep_key_ids: list[str] = Field(default_factory=list)


class RemoveMemberResult(ActionResult):
    user_id: str
    name: str


def _remove_member(caller: Caller, values: RemoveMemberInput) -> Outcome[RemoveMemberResult]:
    """Remove a member and revoke their keys in this organization.

    Their decisions stay. The last owner cannot be removed.
    """
    membership = remove_member(caller, values.membership_id)
    user = membership.user
    target = Target("user", user.id, user.email)
    change = Change(REMOVED, target, before={"role": membership.role})
    revoked = revoke_created_access(membership, values.keep_key_ids)
    return Outcome(RemoveMemberResult(user_id=user.id, name=str(user)), (change, *revoked))


ACTIONS = (
    Operation(
        name="invite_member",
        permission=MEMBERS_MANAGE,
        input=InviteMemberInput,
        run=_invite_member,
        verbs=(INVITED,),
    ),
    Operation(
        name="revoke_invitation",
        permission=MEMBERS_MANAGE,
        input=RevokeInvitationInput,
        run=_revoke_invitation,
        verbs=(INVITATION_REVOKED,),
    ),
    Operation(
        name="change_member_role",
        permission=MEMBERS_MANAGE,
        input=ChangeMemberRoleInput,
        run=_change_member_role,
        verbs=(ROLE_CHANGED, KEY_REVOKED, INVITATION_REVOKED),
    ),
    Operation(
        name="create_password_link",
        permission=MEMBERS_MANAGE,
        input=CreatePasswordLinkInput,
        run=_create_password_link,
        verbs=(PASSWORD_LINK_CREATED,),
    ),
    Operation(
        name="remove_member",
        permission=MEMBERS_MANAGE,
        input=RemoveMemberInput,
        run=_remove_member,
        verbs=(REMOVED, KEY_REVOKED, INVITATION_REVOKED),
    ),
)
