"""create_api_key: who may create which key, and that secrets are not stored."""

import json

import pytest
from django.core.serializers import serialize

from tests.support.personas import Persona, Personas
from visual_review.accounts.callers import caller_of_key, caller_of_operator
from visual_review.accounts.models import ApiKey, Membership
from visual_review.actions.dispatch import dispatch
from visual_review.actions.internal.api_keys import CreateApiKeyResult
from visual_review.actions.registry import any_action
from visual_review.audit.models import AuditEntry
from visual_review.kernel.errors import ForbiddenError, InvalidInputError, UnauthenticatedError

CREATE = any_action("create_api_key")


def create(persona: Persona, scope: str = "user", **more: object) -> CreateApiKeyResult:
    return dispatch(CREATE, persona.caller, {"scope": scope, "name": "laptop", **more})


def test_a_user_key_acts_as_its_user(personas: Personas) -> None:
    caller = caller_of_key(create(personas.bob).key, "rest")
    assert (caller.kind, caller.id) == ("user", personas.bob.user.id)
    assert caller.may("builds:review")
    assert not caller.may("keys:own")


def test_a_user_key_follows_the_current_role(personas: Personas) -> None:
    key = create(personas.bob).key
    Membership.objects.filter(user=personas.bob.user).update(role="viewer")
    assert not caller_of_key(key, "rest").may("builds:review")


def test_an_organization_key_has_exactly_its_permissions(personas: Personas) -> None:
    result = create(personas.alice, "organization", permissions=["builds:view", "repos:view"])
    caller = caller_of_key(result.key, "rest")
    assert caller.kind == "organization_key"
    assert caller.permissions == {"builds:view", "repos:view"}


def test_the_secret_is_neither_in_the_key_table_nor_in_the_audit_log(personas: Personas) -> None:
    result = create(personas.alice)
    assert result.key.startswith(result.hint)
    secret = result.key.removeprefix(result.hint)
    stored = serialize("json", [*ApiKey.objects.all(), *AuditEntry.objects.all()])
    assert secret not in json.dumps(stored)
    assert AuditEntry.objects.get().verb == "api_key.created"


@pytest.mark.parametrize("persona", ["bob", "carol"])
def test_only_those_who_manage_keys_create_organization_keys(
    personas: Personas, persona: str
) -> None:
    with pytest.raises(ForbiddenError):
        create(getattr(personas, persona), "organization", permissions=["repos:view"])
    assert not ApiKey.objects.exists()


def test_a_viewer_cannot_create_a_key_that_reviews(personas: Personas) -> None:
    with pytest.raises(ForbiddenError):
        create(personas.carol, permissions=["builds:review"])


@pytest.mark.parametrize(
    "wrong",
    [{"name": " "}, {"expiresDays": 0}, {"permissions": ["members:manage"]}, {"scope": "robot"}],
)
def test_an_invalid_request_is_rejected(personas: Personas, wrong: dict[str, object]) -> None:
    with pytest.raises(InvalidInputError):
        create(personas.alice, **wrong)


def test_an_expired_key_is_rejected(personas: Personas) -> None:
    key = create(personas.alice, expiresDays=1)
    ApiKey.objects.update(expires_at=ApiKey.objects.get().created_at)
    with pytest.raises(UnauthenticatedError):
        caller_of_key(key.key, "rest")


def test_the_command_line_creates_organization_keys_but_no_user_keys(personas: Personas) -> None:
    operator = caller_of_operator(personas.alice.organization.id)
    wish = {"scope": "organization", "name": "ci", "permissions": ["repos:manage"]}
    assert dispatch(CREATE, operator, wish).key
    entry = AuditEntry.objects.get()
    assert (entry.actor_kind, entry.channel) == ("system", "cli")
    with pytest.raises(ForbiddenError):
        dispatch(CREATE, operator, {"scope": "user", "name": "ci"})
