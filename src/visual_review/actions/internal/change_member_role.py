"""change_member_role: give a member another role."""

from visual_review.accounts.callers import Caller
from visual_review.accounts.members import change_role
from visual_review.accounts.permissions import MEMBERS_MANAGE, Role
from visual_review.actions.action import Action, Outcome
from visual_review.actions.schema import ActionInput, ActionResult
from visual_review.audit.log import Change, Target

CHANGED = "member.role_changed"


class Input(ActionInput):
    membership_id: str
    role: Role


class Result(ActionResult):
    id: str
    name: str
    role: str


def run(caller: Caller, values: Input) -> Outcome[Result]:
    membership, former = change_role(caller, values.membership_id, values.role)
    user = membership.user
    result = Result(id=membership.id, name=str(user), role=membership.role)
    # Nothing changed, so there is nothing to log.
    if former == membership.role:
        return Outcome(result)
    target = Target("user", user.id, user.email)
    change = Change(CHANGED, target, before={"role": former}, after={"role": membership.role})
    return Outcome(result, (change,))


ACTION = Action(
    name="change_member_role",
    title="Change member role",
    permission=MEMBERS_MANAGE,
    description="Gives a member another role, which takes effect immediately, for their keys too. "
    "The last owner remains an owner.",
    input=Input,
    result=Result,
    run=run,
    verbs=(CHANGED,),
)
