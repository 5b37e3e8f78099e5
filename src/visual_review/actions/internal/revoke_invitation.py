"""revoke_invitation: revoke an invitation that has not been accepted yet."""

from visual_review.accounts.callers import Caller
from visual_review.accounts.invitations import revoke_invitation
from visual_review.accounts.permissions import MEMBERS_MANAGE
from visual_review.actions.action import Action, Hints, Outcome
from visual_review.actions.schema import ActionInput, ActionResult
from visual_review.audit.log import Change, Target

REVOKED = "invitation.revoked"


class Input(ActionInput):
    invitation_id: str


class Result(ActionResult):
    id: str
    email: str


def run(caller: Caller, values: Input) -> Outcome[Result]:
    invitation = revoke_invitation(caller, values.invitation_id)
    target = Target("invitation", invitation.id, invitation.email)
    change = Change(REVOKED, target, before={"role": invitation.role})
    return Outcome(Result(id=invitation.id, email=invitation.email), (change,))


ACTION = Action(
    name="revoke_invitation",
    title="Revoke invitation",
    permission=MEMBERS_MANAGE,
    description="Revokes a pending invitation; its link stops working.",
    input=Input,
    result=Result,
    run=run,
    verbs=(REVOKED,),
    hints=Hints(destructive=True),
)
