"""invite_member: invite an email address to the organization with a one-time link."""

from visual_review.accounts.callers import Caller
from visual_review.accounts.invitations import invite
from visual_review.accounts.permissions import MEMBERS_MANAGE, Role
from visual_review.actions.action import Action, Hints, Outcome
from visual_review.actions.schema import ActionInput, ActionResult
from visual_review.audit.log import Change, Target
from visual_review.kernel.clock import rfc3339

INVITED = "member.invited"


class Input(ActionInput):
    email: str
    role: Role


class Result(ActionResult):
    id: str
    email: str
    secret: str
    expires_at: str


def run(caller: Caller, values: Input) -> Outcome[Result]:
    invitation, secret = invite(caller, values.email, values.role)
    expires_at = rfc3339(invitation.expires_at)
    after = {"role": invitation.role, "expiresAt": expires_at}
    change = Change(INVITED, Target("invitation", invitation.id, invitation.email), after=after)
    result = Result(
        id=invitation.id, email=invitation.email, secret=secret.text, expires_at=expires_at
    )
    return Outcome(result, (change,))


ACTION = Action(
    name="invite_member",
    title="Invite member",
    permission=MEMBERS_MANAGE,
    description="Invites an email address to the organization and returns the secret of its "
    "link once. The link works once, for seven days, and replaces any earlier one.",
    input=Input,
    result=Result,
    run=run,
    verbs=(INVITED,),
    hints=Hints(idempotent=False),
    secret_result=True,
)
