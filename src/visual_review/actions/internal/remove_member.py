"""remove_member: remove a member and revoke their keys in this organization."""

from visual_review.accounts.callers import Caller
from visual_review.accounts.members import remove_member
from visual_review.accounts.permissions import MEMBERS_MANAGE
from visual_review.actions.action import Action, Hints, Outcome
from visual_review.actions.schema import ActionInput, ActionResult
from visual_review.audit.log import Change, Target

REMOVED = "member.removed"


class Input(ActionInput):
    membership_id: str


class Result(ActionResult):
    name: str


def run(caller: Caller, values: Input) -> Outcome[Result]:
    membership = remove_member(caller, values.membership_id)
    user = membership.user
    target = Target("user", user.id, user.email)
    change = Change(REMOVED, target, before={"role": membership.role})
    return Outcome(Result(name=str(user)), (change,))


ACTION = Action(
    name="remove_member",
    title="Remove member",
    permission=MEMBERS_MANAGE,
    description="Removes a member and revokes their keys in this organization. Their decisions "
    "stay. The last owner cannot be removed.",
    input=Input,
    result=Result,
    run=run,
    verbs=(REMOVED,),
    hints=Hints(destructive=True),
)
