"""revoke_api_key: own keys, others' keys for owners, never another organization's."""

import pytest

from tests.support.personas import Persona, Personas
from visual_review.accounts.callers import caller_of_key
from visual_review.actions.dispatch import dispatch
from visual_review.actions.internal.create_api_key import ACTION as CREATE
from visual_review.actions.internal.create_api_key import Result
from visual_review.actions.internal.revoke_api_key import ACTION
from visual_review.audit.models import AuditEntry
from visual_review.kernel.errors import ConflictError, NotFoundError, UnauthenticatedError


def key_of(persona: Persona) -> Result:
    return dispatch(CREATE, persona.caller, {"scope": "user", "name": "laptop"})


def test_a_revoked_key_is_rejected(personas: Personas) -> None:
    key = key_of(personas.carol)
    dispatch(ACTION, personas.carol.caller, {"keyId": key.id})
    with pytest.raises(UnauthenticatedError):
        caller_of_key(key.key, "rest")
    assert AuditEntry.objects.first().verb == "api_key.revoked"  # type: ignore[union-attr]


def test_owners_revoke_any_key_of_their_organization(personas: Personas) -> None:
    key = key_of(personas.bob)
    assert dispatch(ACTION, personas.alice.caller, {"keyId": key.id}).id == key.id


@pytest.mark.parametrize("persona", ["carol", "mallory"])
def test_keys_of_others_get_the_error_for_unknown_keys(personas: Personas, persona: str) -> None:
    key, caller = key_of(personas.bob), getattr(personas, persona).caller
    with pytest.raises(NotFoundError) as foreign:
        dispatch(ACTION, caller, {"keyId": key.id})
    with pytest.raises(NotFoundError) as nothing:
        dispatch(ACTION, caller, {"keyId": "key_00000000000000000000000000"})
    assert str(foreign.value) == str(nothing.value)
    assert caller_of_key(key.key, "rest")


def test_revoking_twice_is_a_conflict(personas: Personas) -> None:
    key = key_of(personas.bob)
    dispatch(ACTION, personas.bob.caller, {"keyId": key.id})
    with pytest.raises(ConflictError):
        dispatch(ACTION, personas.bob.caller, {"keyId": key.id})
