"""connect_app: a person allows an app to act for them, or changes the app's permissions."""

from typing import Literal

from visual_review.accounts.callers import Caller
from visual_review.accounts.oauth.clients import client_of, stored_client
from visual_review.accounts.oauth.grants import app_target, connect
from visual_review.accounts.permissions import KEYS_OWN
from visual_review.actions.action import Action, Hints, Outcome
from visual_review.actions.schema import ActionInput, ActionResult
from visual_review.audit.log import Change
from visual_review.kernel.errors import NotFoundError

CONNECTED = "app.connected"
Scope = Literal["read", "read write"]


class Input(ActionInput):
    client_id: str
    asked: Scope
    granted: Scope


class Result(ActionResult):
    id: str
    name: str
    scope: str


def run(caller: Caller, values: Input) -> Outcome[Result]:
    application = stored_client(values.client_id)
    if application is None:
        raise NotFoundError("There is no client with this id.")
    grant, before = connect(caller, application, values.asked, values.granted)
    client = client_of(application)
    after = {"clientId": client.client_id, "scope": grant.scope}
    # A second consent is logged too, because the consent gives the app more tokens.
    former = None if before is None else {"scope": before}
    change = Change(CONNECTED, app_target(grant), before=former, after=after)
    return Outcome(Result(id=grant.id, name=client.name, scope=grant.scope), (change,))


ACTION = Action(
    name="connect_app",
    title="Connect an app",
    # Everyone may: an app never exceeds the role of the person who authorized it.
    permission=KEYS_OWN,
    description="Allows an app to act for the person in this organization, read-only or with "
    "changes as the role allows. Connecting it again changes what it may do.",
    input=Input,
    result=Result,
    run=run,
    verbs=(CONNECTED,),
    hints=Hints(idempotent=False),
)
