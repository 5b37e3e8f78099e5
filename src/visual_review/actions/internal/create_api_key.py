"""create_api_key: create a key for a person or for the organization, shown only once."""

from typing import Annotated, Literal

from pydantic import Field

from visual_review.accounts.callers import Caller
from visual_review.accounts.keys import NewKey, create_key
from visual_review.accounts.permissions import KEYS_OWN
from visual_review.actions.action import Action, Hints, Outcome
from visual_review.actions.schema import ActionInput, ActionResult, JsonInteger
from visual_review.audit.log import Change, Target
from visual_review.kernel.clock import rfc3339

CREATED = "api_key.created"


class Input(ActionInput):
    scope: Literal["user", "organization"]
    name: Annotated[str, Field(min_length=1, max_length=100)]
    permissions: list[str] = Field(default_factory=list)
    expires_days: JsonInteger | None = None


class Result(ActionResult):
    id: str
    key: str
    hint: str


def run(caller: Caller, values: Input) -> Outcome[Result]:
    wanted = NewKey(values.scope, values.name, values.permissions, values.expires_days)
    key, secret = create_key(caller, wanted)
    after = {
        "scope": values.scope,
        # The log identifies the key by its readable prefix and never contains the key itself.
        "hint": key.hint,
        "permissions": key.permissions,
        "expiresAt": rfc3339(key.expires_at) if key.expires_at else None,
    }
    change = Change(CREATED, Target("api_key", key.id, key.name), after=after)
    return Outcome(Result(id=key.id, key=secret.text, hint=key.hint), (change,))


ACTION = Action(
    name="create_api_key",
    title="Create API key",
    # A key of the organization requires more; the creation of a key checks the permission.
    permission=KEYS_OWN,
    description="Creates an API key and returns it once. A personal key follows the person's "
    "role; an organization's key has its own permissions, which its creator must have.",
    input=Input,
    result=Result,
    run=run,
    verbs=(CREATED,),
    hints=Hints(idempotent=False),
    secret_result=True,
)
