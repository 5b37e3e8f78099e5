"""Keys for programs, of persons and of organizations."""

from typing import Annotated, Literal

from pydantic import Field

from visual_review.accounts.callers import Caller
from visual_review.accounts.keys import REVOKED as KEY_REVOKED
from visual_review.accounts.keys import NewKey, create_key, revocation_of, revoke_key
from visual_review.accounts.permissions import KEYS_OWN
from visual_review.actions.action import Operation, Outcome
from visual_review.actions.schema import ActionInput, ActionResult, JsonInteger
from visual_review.audit.log import Change, Target
from visual_review.kernel.clock import rfc3339

KEY_CREATED = "api_key.created"


class CreateApiKeyInput(ActionInput):
    scope: Literal["user", "organization"]
    name: Annotated[str, Field(min_length=1, max_length=100)]
    permissions: list[str] = Field(default_factory=list)
    expires_days: JsonInteger | None = None


class CreateApiKeyResult(ActionResult):
    id: str
    key: str
    hint: str


def _create_api_key(caller: Caller, values: CreateApiKeyInput) -> Outcome[CreateApiKeyResult]:
    """Create a key for a person or for the organization, shown only once.

    A personal key follows the person's role; an organization's key has its own permissions,
    which its creator must have.
    """
    wanted = NewKey(values.scope, values.name, values.permissions, values.expires_days)
    key, secret = create_key(caller, wanted)
    after = {
        "scope": values.scope,
        # The log identifies the key by its readable prefix and never contains the key itself.
        "hint": key.hint,
        "permissions": key.permissions,
        "expiresAt": rfc3339(key.expires_at) if key.expires_at else None,
    }
    change = Change(KEY_CREATED, Target("api_key", key.id, key.name), after=after)
    return Outcome(CreateApiKeyResult(id=key.id, key=secret.text, hint=key.hint), (change,))


class RevokeApiKeyInput(ActionInput):
    key_id: str


class RevokeApiKeyResult(ActionResult):
    id: str
    name: str


def _revoke_api_key(caller: Caller, values: RevokeApiKeyInput) -> Outcome[RevokeApiKeyResult]:
    """Revoke a key, effective immediately."""
    key = revoke_key(caller, values.key_id)
    return Outcome(RevokeApiKeyResult(id=key.id, name=key.name), (revocation_of(key),))


ACTIONS = (
    Operation(
        name="create_api_key",
        # A key of the organization requires more; the creation of a key checks the permission.
        permission=KEYS_OWN,
        input=CreateApiKeyInput,
        run=_create_api_key,
        verbs=(KEY_CREATED,),
    ),
    Operation(
        name="revoke_api_key",
        # The look-up of keys decides which keys a caller may revoke.
        permission=KEYS_OWN,
        input=RevokeApiKeyInput,
        run=_revoke_api_key,
        verbs=(KEY_REVOKED,),
    ),
)
