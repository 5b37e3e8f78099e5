"""revoke_api_key: revoke a key, effective immediately."""

from visual_review.accounts.callers import Caller
from visual_review.accounts.keys import revoke_key
from visual_review.accounts.permissions import KEYS_OWN
from visual_review.actions.action import Action, Hints, Outcome
from visual_review.actions.schema import ActionInput, ActionResult
from visual_review.audit.log import Change, Target

REVOKED = "api_key.revoked"


class Input(ActionInput):
    key_id: str


class Result(ActionResult):
    id: str
    name: str


def run(caller: Caller, values: Input) -> Outcome[Result]:
    key = revoke_key(caller, values.key_id)
    change = Change(REVOKED, Target("api_key", key.id, key.name), before={"hint": key.hint})
    return Outcome(Result(id=key.id, name=key.name), (change,))


ACTION = Action(
    name="revoke_api_key",
    title="Revoke API key",
    # Which keys a caller may revoke is decided where they are looked up.
    permission=KEYS_OWN,
    description="Revokes an API key; calls with it are rejected from then on.",
    input=Input,
    result=Result,
    run=run,
    verbs=(REVOKED,),
    hints=Hints(destructive=True),
)
