"""remove_member: remove a member and revoke their keys in this organization."""

from pydantic import Field

from visual_review.accounts.callers import Caller
from visual_review.accounts.invitations import REVOKED as INVITATION_REVOKED
from visual_review.accounts.keys import REVOKED as KEY_REVOKED
from visual_review.accounts.members import remove_member, revoke_created_access
from visual_review.accounts.permissions import MEMBERS_MANAGE
from visual_review.actions.action import Action, Hints, Outcome
from visual_review.actions.schema import ActionInput, ActionResult
from visual_review.audit.log import Change, Target

REMOVED = "member.removed"


class Input(ActionInput):
    membership_id: str
    keep_key_ids: list[str] = Field(default_factory=list)


class Result(ActionResult):
    user_id: str
    name: str


def run(caller: Caller, values: Input) -> Outcome[Result]:
    membership = remove_member(caller, values.membership_id)
    user = membership.user
    target = Target("user", user.id, user.email)
    change = Change(REMOVED, target, before={"role": membership.role})
    revoked = revoke_created_access(membership, values.keep_key_ids)
    return Outcome(Result(user_id=user.id, name=str(user)), (change, *revoked))


ACTION = Action(
    name="remove_member",
    title="Remove member",
    permission=MEMBERS_MANAGE,
    description="Removes a member and revokes their keys in this organization, those of the "
    "organization that they created, except those to keep, and their invitations. Their "
    "decisions stay. The last owner cannot be removed.",
    input=Input,
    result=Result,
    run=run,
    verbs=(REMOVED, KEY_REVOKED, INVITATION_REVOKED),
    hints=Hints(destructive=True),
)
