"""revoke_api_key: own keys, others' keys for owners, never another organization's."""

import pytest

from tests.support.personas import Persona, Personas
from visual_review.accounts.callers import caller_of_key
from visual_review.actions.dispatch import dispatch
from visual_review.actions.internal.api_keys import CreateApiKeyResult
from visual_review.actions.registry import any_action
from visual_review.audit.models import AuditEntry
from visual_review.kernel.errors import ConflictError, NotFoundError, UnauthenticatedError

REVOKE = any_action("revoke_api_key")


def key_of(persona: Persona) -> CreateApiKeyResult:
    payload = {"scope": "user", "name": "laptop"}
    return dispatch(any_action("create_api_key"), persona.caller, payload)


def test_a_revoked_key_is_rejected(personas: Personas) -> None:
    key = key_of(personas.carol)
    dispatch(REVOKE, personas.carol.caller, {"keyId": key.id})
    with pytest.raises(UnauthenticatedError):
        caller_of_key(key.key, "rest")
    assert AuditEntry.objects.first().verb == "api_key.revoked"  # type: ignore[union-attr]


def test_owners_revoke_any_key_of_their_organization(personas: Personas) -> None:
    key = key_of(personas.bob)
    assert dispatch(REVOKE, personas.alice.caller, {"keyId": key.id}).id == key.id


@pytest.mark.parametrize("persona", ["carol", "mallory"])
def test_keys_of_others_get_the_error_for_unknown_keys(personas: Personas, persona: str) -> None:
    key, caller = key_of(personas.bob), getattr(personas, persona).caller
    with pytest.raises(NotFoundError) as foreign:
        dispatch(REVOKE, caller, {"keyId": key.id})
    with pytest.raises(NotFoundError) as nothing:
        dispatch(REVOKE, caller, {"keyId": "key_00000000000000000000000000"})
    assert str(foreign.value) == str(nothing.value)
    assert caller_of_key(key.key, "rest")


def test_revoking_twice_is_a_conflict(personas: Personas) -> None:
    key = key_of(personas.bob)
    dispatch(REVOKE, personas.bob.caller, {"keyId": key.id})
    with pytest.raises(ConflictError):
        dispatch(REVOKE, personas.bob.caller, {"keyId": key.id})
