"""refuse_app: a person denies an app access; only the audit log records the denial."""

from visual_review.accounts.callers import Caller
from visual_review.accounts.oauth.clients import client_of, stored_client
from visual_review.accounts.permissions import KEYS_OWN
from visual_review.actions.action import Action, Outcome
from visual_review.actions.schema import ActionInput, ActionResult
from visual_review.audit.log import Change, Target
from visual_review.kernel.errors import NotFoundError

REFUSED = "app.refused"


class Input(ActionInput):
    client_id: str
    asked: str


class Result(ActionResult):
    name: str


def run(caller: Caller, values: Input) -> Outcome[Result]:
    _ = caller
    application = stored_client(values.client_id)
    if application is None:
        raise NotFoundError("There is no client with this id.")
    client = client_of(application)
    target = Target("client", client.client_id, client.name)
    change = Change(REFUSED, target, after={"asked": values.asked})
    return Outcome(Result(name=client.name), (change,))


ACTION = Action(
    name="refuse_app",
    title="Deny an app",
    permission=KEYS_OWN,
    description="Denies access to an app that asks to act for the person.",
    input=Input,
    result=Result,
    run=run,
    verbs=(REFUSED,),
)
