"""Extension actions over MCP: REST's very result as text, and REST's errors."""

import json
from collections.abc import Mapping
from typing import Any

import pytest

from tests.support.action_arguments import Target, target_of
from tests.support.api_keys import call, organization_key, user_key
from tests.support.api_reviewers import MAY
from tests.support.case import Case
from tests.support.mcp.endpoint import PROTOCOL_VERSIONS, Endpoint
from tests.support.mcp.parity import call_rest
from tests.support.personas import Personas
from visual_review.accounts.permissions import PUBLISHED
from visual_review.actions.action import Action
from visual_review.actions.registry import callable_action, extended_actions
from visual_review.api.mcp.rendering import TEXTS
from visual_review.api.mcp.rendering.truncation import count_tokens
from visual_review.audit.models import AuditEntry

NAMES = [action.name for action in extended_actions()]


@pytest.fixture
def target(personas: Personas) -> Target:
    return target_of(personas.alice)


def text_in(result: Mapping[str, Any]) -> str:
    assert "structuredContent" not in result
    return str(result["content"][0]["text"])


def test_the_text_is_that_of_the_result_of_rest(
    case: Case, endpoint: Endpoint, personas: Personas, target: Target
) -> None:
    key = user_key(personas.alice)
    # Changing actions are carried out once, and only repeated from then on.
    for name in ("review_changes", "request_review"):
        call(key, name, target.calls[name])
    for name in NAMES:
        action: Action[Any, Any] = callable_action(name)
        with case(name):
            body = json.loads(call(key, name, target.calls[name]).content)
            result = action.result.model_validate(body["result"])
            expected = TEXTS[action.result](result, personas.alice.caller)
            assert count_tokens(expected) <= 10_000
            for version in PROTOCOL_VERSIONS:
                found = endpoint.call(key, name, target.calls[name], version)
                assert (found["isError"], text_in(found)) == (False, expected)


def test_errors_are_the_same_and_change_nothing(
    case: Case, endpoint: Endpoint, personas: Personas, target: Target
) -> None:
    entries = AuditEntry.objects.count()
    own = user_key(personas.alice)
    for name in NAMES:
        need = callable_action(name).permission
        lacking = organization_key(personas.alice, tuple(PUBLISHED - {need}))
        payload = target.calls[name]
        for key, wrong in ((lacking, payload), (own, payload | {"surplus": 1})):
            with case(f"{name}, {sorted(wrong)}"):
                expected = call_rest(key, name, wrong)
                assert expected.result is None
                for version in PROTOCOL_VERSIONS:
                    found = endpoint.call(key, name, wrong, version)
                    assert found["isError"]
                    assert text_in(found) == expected.message
    assert AuditEntry.objects.count() == entries


def test_only_reviewers_see_and_may_call_what_decides(
    endpoint: Endpoint, personas: Personas, target: Target
) -> None:
    carol = user_key(personas.carol)
    listed = {tool["name"] for tool in endpoint.result(carol, "tools/list")["tools"]}
    for name in NAMES:
        allowed = callable_action(name).permission in MAY["viewer"]
        assert (name in listed) == allowed
        status = call(carol, name, target.calls[name]).status_code
        assert status == (200 if allowed else 403), name
