"""change_member_role: give a member another role."""

from pydantic import Field

from visual_review.accounts.callers import Caller
from visual_review.accounts.invitations import REVOKED as INVITATION_REVOKED
from visual_review.accounts.keys import REVOKED as KEY_REVOKED
from visual_review.accounts.members import change_role, is_demotion, revoke_created_access
from visual_review.accounts.permissions import MEMBERS_MANAGE, Role
from visual_review.actions.action import Action, Outcome
from visual_review.actions.schema import ActionInput, ActionResult
from visual_review.audit.log import Change, Target

CHANGED = "member.role_changed"


class Input(ActionInput):
    membership_id: str
    role: Role
    keep_key_ids: list[str] = Field(default_factory=list)


class Result(ActionResult):
    id: str
    user_id: str
    name: str
    role: str


def run(caller: Caller, values: Input) -> Outcome[Result]:
    membership, former = change_role(caller, values.membership_id, values.role)
    user = membership.user
    result = Result(id=membership.id, user_id=user.id, name=str(user), role=membership.role)
    # Nothing changed, so there is nothing to log.
    if former == membership.role:
        return Outcome(result)
    target = Target("user", user.id, user.email)
    change = Change(CHANGED, target, before={"role": former}, after={"role": membership.role})
    if not is_demotion(former, membership.role):
        return Outcome(result, (change,))
    return Outcome(result, (change, *revoke_created_access(membership, values.keep_key_ids)))


ACTION = Action(
    name="change_member_role",
    title="Change member role",
    permission=MEMBERS_MANAGE,
    description="Gives a member another role, which takes effect immediately, for their keys too. "
    "A lower role revokes the keys of the organization that they created, except those to keep, "
    "and their invitations. The last owner remains an owner.",
    input=Input,
    result=Result,
    run=run,
    verbs=(CHANGED, KEY_REVOKED, INVITATION_REVOKED),
)
