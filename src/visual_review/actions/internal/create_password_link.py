"""create_password_link: create a one-time link for a member to choose a new password."""

from django.conf import settings

from visual_review.accounts.callers import Caller
from visual_review.accounts.members import (
    PASSWORD_LINK_CREATED,
    mail_member_password_link,
    password_link_token,
)
from visual_review.accounts.permissions import MEMBERS_MANAGE
from visual_review.actions.action import Action, Hints, Outcome
from visual_review.actions.schema import ActionInput, ActionResult
from visual_review.audit.log import Change, Target


class Input(ActionInput):
    membership_id: str


class Result(ActionResult):
    user_id: str
    name: str
    # The token and not the link, because only the pages know their own URLs. Empty if mailed.
    token: str


def run(caller: Caller, values: Input) -> Outcome[Result]:
    if settings.EMAIL_CONFIGURED:
        # Only the person receives the link: an owner with the link could take over the account.
        membership, token = mail_member_password_link(caller, values.membership_id), ""
    else:
        membership, token = password_link_token(caller, values.membership_id)
    user = membership.user
    change = Change(
        PASSWORD_LINK_CREATED, Target("user", user.id, user.email), after={"mailed": not token}
    )
    return Outcome(Result(user_id=user.id, name=str(user), token=token), (change,))


ACTION = Action(
    name="create_password_link",
    title="Create password link",
    permission=MEMBERS_MANAGE,
    description="Creates a link with which a member can choose a new password, once, within 24 "
    "hours. Where mail is set up, the link is mailed to the member; otherwise it is returned.",
    input=Input,
    result=Result,
    run=run,
    verbs=(PASSWORD_LINK_CREATED,),
    hints=Hints(idempotent=False),
    secret_result=True,
)
