"""disconnect_app: disconnect an app, effective immediately."""

from visual_review.accounts.callers import Caller
from visual_review.accounts.oauth.clients import client_of
from visual_review.accounts.oauth.grants import app_target, disconnect
from visual_review.accounts.permissions import KEYS_OWN
from visual_review.actions.action import Action, Hints, Outcome
from visual_review.actions.schema import ActionInput, ActionResult
from visual_review.audit.log import Change

DISCONNECTED = "app.disconnected"


class Input(ActionInput):
    grant_id: str


class Result(ActionResult):
    id: str
    name: str


def run(caller: Caller, values: Input) -> Outcome[Result]:
    grant = disconnect(caller, values.grant_id)
    client = client_of(grant.application)
    before = {"clientId": client.client_id, "scope": grant.scope, "userId": grant.user_id}
    change = Change(DISCONNECTED, app_target(grant), before=before)
    return Outcome(Result(id=grant.id, name=client.name), (change,))


ACTION = Action(
    name="disconnect_app",
    title="Disconnect an app",
    # The look-up of apps decides which apps a caller may disconnect.
    permission=KEYS_OWN,
    description="Revokes what an app may do for a person in this organization; its next call is "
    "rejected.",
    input=Input,
    result=Result,
    run=run,
    verbs=(DISCONNECTED,),
    hints=Hints(destructive=True),
)
