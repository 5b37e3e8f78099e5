"""revoke_invitation: revoke an invitation before its acceptance."""

from visual_review.accounts.callers import Caller
from visual_review.accounts.invitations import REVOKED, revocation_of, revoke_invitation
from visual_review.accounts.permissions import MEMBERS_MANAGE
from visual_review.actions.action import Action, Hints, Outcome
from visual_review.actions.schema import ActionInput, ActionResult


class Input(ActionInput):
    invitation_id: str


class Result(ActionResult):
    id: str
    email: str


def run(caller: Caller, values: Input) -> Outcome[Result]:
    invitation = revoke_invitation(caller, values.invitation_id)
    result = Result(id=invitation.id, email=invitation.email)
    return Outcome(result, (revocation_of(invitation),))


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
