"""revoke_api_key: revoke a key, effective immediately."""

from visual_review.accounts.callers import Caller
from visual_review.accounts.keys import REVOKED, revocation_of, revoke_key
from visual_review.accounts.permissions import KEYS_OWN
from visual_review.actions.action import Action, Hints, Outcome
from visual_review.actions.schema import ActionInput, ActionResult


class Input(ActionInput):
    key_id: str


class Result(ActionResult):
    id: str
    name: str


def run(caller: Caller, values: Input) -> Outcome[Result]:
    key = revoke_key(caller, values.key_id)
    return Outcome(Result(id=key.id, name=key.name), (revocation_of(key),))


ACTION = Action(
    name="revoke_api_key",
    title="Revoke API key",
    # The look-up of keys decides which keys a caller may revoke.
    permission=KEYS_OWN,
    description="Revokes an API key; calls with it are rejected from then on.",
    input=Input,
    result=Result,
    run=run,
    verbs=(REVOKED,),
    hints=Hints(destructive=True),
)
