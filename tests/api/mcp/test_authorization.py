"""Who may call what over MCP: roles, keys, tokens, and nothing of another organization."""

from base64 import b64encode
from datetime import timedelta
from itertools import product

import pytest
from django.test import Client

from tests.support.action_arguments import Payload, Target, create_target, target_of
from tests.support.action_permissions import IDS, MAY, NEEDS, missing_like, other_kind
from tests.support.api_keys import organization_key, user_key
from tests.support.case import Case
from tests.support.database import rolled_back
from tests.support.mcp.endpoint import ERAS, Endpoint, Era
from tests.support.personas import Personas
from tests.support.worlds import World
from visual_review.accounts.bearer_credentials import CREDENTIAL_INVALID
from visual_review.accounts.callers import KEY_INVALID
from visual_review.accounts.models import ApiKey, Membership, User
from visual_review.actions.internal import INTERNAL
from visual_review.actions.registry import published_actions
from visual_review.api.mcp.image_tool import IMAGE_TOOL
from visual_review.audit.models import AuditEntry
from visual_review.kernel.clock import now
from visual_review.repositories.tokens import mint_token

IMAGES_NEED = "builds:view"


@pytest.fixture
def target(personas: Personas) -> Target:
    return target_of(personas.alice)


def listed_tools(endpoint: Endpoint, key: str, era: Era) -> list[str]:
    return [tool["name"] for tool in endpoint.result(key, "tools/list", era=era)["tools"]]


def expected_tools(permissions: set[str]) -> list[str]:
    """The tools these permissions stand for, in the order of the interface."""
    images = [IMAGE_TOOL] if IMAGES_NEED in permissions else []
    return [name for name, need in NEEDS.items() if need in permissions] + images


def tool_calls(target: Target) -> dict[str, Payload]:
    """A valid call of every tool."""
    return {**target.calls, IMAGE_TOOL: {"screenshotId": target.screenshot.id}}


def callable_tools(endpoint: Endpoint, key: str, target: Target, era: Era) -> list[str]:
    """The tools whose calls are not refused for want of a permission."""
    found = []
    for name, payload in tool_calls(target).items():
        with rolled_back():
            answer = endpoint.call(key, name, payload, era)
        if not answer["isError"]:
            found.append(name)
        else:
            assert answer["content"][0]["text"].startswith("Forbidden: "), answer
            assert NEEDS.get(name, IMAGES_NEED) in answer["content"][0]["text"]
    return found


def assert_tools(endpoint: Endpoint, key: str, target: Target, permissions: set[str]) -> None:
    """What is listed is what may be called, in both eras."""
    for era in ERAS:
        assert listed_tools(endpoint, key, era) == expected_tools(permissions)
    # The eras share what decides, so that one of them is enough here.
    assert sorted(callable_tools(endpoint, key, target, era)) == sorted(expected_tools(permissions))


def test_a_user_key_has_the_tools_of_the_role(
    case: Case, endpoint: Endpoint, personas: Personas, target: Target
) -> None:
    for role in MAY:
        with case(role):
            Membership.objects.filter(user=personas.bob.user).update(role=role)
            assert_tools(endpoint, user_key(personas.bob), target, MAY[role])


def test_an_organization_key_has_the_tools_it_names(
    case: Case, endpoint: Endpoint, personas: Personas, target: Target
) -> None:
    for permission in sorted(MAY["admin"]):
        with case(permission):
            assert_tools(
                endpoint, organization_key(personas.alice, (permission,)), target, {permission}
            )


def test_a_user_key_never_exceeds_the_role_nor_what_it_names(
    endpoint: Endpoint, personas: Personas, target: Target
) -> None:
    viewer = user_key(personas.carol, ("repos:manage", "builds:review", "builds:view"))
    assert_tools(endpoint, viewer, target, {"builds:view"})
    owner = user_key(personas.alice, ("builds:review",))
    assert_tools(endpoint, owner, target, {"builds:review"})


def test_permissions_of_pages_allow_nothing_in_a_key(
    endpoint: Endpoint, personas: Personas, target: Target
) -> None:
    key = organization_key(personas.alice, ("members:manage", "keys:manage", "audit:view"))
    assert_tools(endpoint, key, target, set())


def test_a_role_that_is_lowered_acts_on_the_next_call(
    case: Case, endpoint: Endpoint, personas: Personas, target: Target
) -> None:
    for era in ERAS:
        with case(era):
            key = user_key(personas.bob)
            reviews = {"screenshotId": target.screenshot.id, "state": "rejected"}
            assert not endpoint.call(key, "review_screenshot", reviews, era)["isError"]

            Membership.objects.filter(user=personas.bob.user).update(role="viewer")

            assert endpoint.call(key, "review_screenshot", reviews, era)["isError"]
            assert listed_tools(endpoint, key, era) == expected_tools(MAY["viewer"])

            Membership.objects.filter(user=personas.bob.user).delete()

            assert endpoint.ask(key, "tools/list", era=era).status_code == 401


def refused(endpoint: Endpoint, credential: str | None, era: Era) -> str:
    """The words of a 401, which must say how to sign in."""
    answer = endpoint.ask(credential, "tools/list", era=era)
    assert answer.status_code == 401
    assert answer.headers["content-type"] == "application/problem+json"
    challenge = answer.headers["www-authenticate"]
    assert challenge.startswith('Bearer realm="Visual Review"')
    assert "/.well-known/oauth-protected-resource/api/mcp" in challenge
    # RFC 6750, 3.1: whoever sent no credential made no mistake yet.
    assert ('error="invalid_token"' in challenge) == (credential is not None)
    return str(answer.json()["detail"])


def test_a_revoked_expired_or_unknown_key_has_the_same_error(
    case: Case, endpoint: Endpoint, personas: Personas
) -> None:
    key = user_key(personas.bob)
    for era in ERAS:
        with case(era):
            for change in ({"revoked_at": now()}, {"expires_at": now() - timedelta(seconds=1)}):
                with rolled_back():
                    ApiKey.objects.update(**change)
                    assert refused(endpoint, key, era) == KEY_INVALID
            with rolled_back():
                User.objects.filter(pk=personas.bob.user.pk).update(is_active=False)
                assert refused(endpoint, key, era) == KEY_INVALID
            for wrong in ("vr_user_wrong", f"{key}x", key[:-1], "vr_org_"):
                assert refused(endpoint, wrong, era) == KEY_INVALID
            for nonsense in (None, "nonsense", "a b", "vr_refresh_wrong"):
                assert refused(endpoint, nonsense, era) == CREDENTIAL_INVALID
            assert listed_tools(endpoint, key, era) == expected_tools(MAY["reviewer"])


def test_a_project_token_is_told_what_it_is_for(
    case: Case, endpoint: Endpoint, target: Target
) -> None:
    for era in ERAS:
        with case(era):
            words = refused(endpoint, mint_token(target.world.repository), era)
            assert "project token of CI" in words


def test_an_internal_action_is_an_unknown_tool(
    case: Case, endpoint: Endpoint, personas: Personas
) -> None:
    key = user_key(personas.alice)
    internal = [action.name for action in INTERNAL]
    for era in ERAS:
        with case(era):
            for name in (*internal, "no_such_tool", "", "x" * 5000, "ü\u202e"):
                headers = {"Mcp-Name": encoded(name)} if era == "2026-07-28" else {}
                params = {"name": name, "arguments": {}}
                answer = endpoint.ask(key, "tools/call", params, era, **headers).json()
                assert answer["error"]["code"] == -32602, name
                assert answer["error"]["message"] == f"There is no tool '{name[:80]}'."


def encoded(name: str) -> str:
    """A name as its header has it: text beyond ASCII in base64, as the protocol demands."""
    if name.isascii() and name.strip() == name and name:
        return name
    return f"=?base64?{b64encode(name.encode()).decode()}?="


def test_an_id_of_another_organization_is_answered_like_a_missing_one(
    case: Case, endpoint: Endpoint, personas: Personas, target: Target
) -> None:
    mallory = user_key(personas.mallory)
    create_target(World(personas.mallory, "evil/web"))
    entries = AuditEntry.objects.count()
    calls = tool_calls(target)
    with_ids = [(name, field) for name in calls for field in IDS if field in calls[name]]
    assert with_ids
    for (name, field), era in product(with_ids, ERAS):
        with case(f"{name}, {era}"):
            payload = calls[name]
            foreign = endpoint.call(mallory, name, payload, era)
            assert foreign["isError"]
            assert foreign["content"][0]["text"].startswith("Not Found: ")
            for missing in (missing_like(payload[field]), other_kind(target, field)):
                assert endpoint.call(mallory, name, {**payload, field: missing}, era) == foreign
            assert AuditEntry.objects.count() == entries


def test_no_answer_contains_anything_of_another_organization(
    case: Case, endpoint: Endpoint, personas: Personas, target: Target
) -> None:
    theirs = create_target(World(personas.mallory, "evil/web"))
    key = user_key(personas.alice)
    reading = [action.name for action in published_actions() if action.read_only]
    for name, era in product(reading, ERAS):
        with case(f"{name}, {era}"):
            params = {"name": name, "arguments": target.calls[name]}
            answer = endpoint.ask(key, "tools/call", params, era)
            assert not answer.json()["result"]["isError"]
            for foreign in (theirs.world.repository.id, theirs.build.id, theirs.screenshot.id):
                assert foreign not in answer.text


def test_a_session_of_the_pages_is_no_credential(
    endpoint: Endpoint, personas: Personas, client: Client
) -> None:
    client.force_login(personas.alice.user)
    cookies = "; ".join(f"{name}={morsel.value}" for name, morsel in client.cookies.items())
    assert "sessionid" in cookies
    assert endpoint.ask(None, "tools/list", Cookie=cookies).status_code == 401
    # Nor does it lend its rights to a key that has fewer.
    key = user_key(personas.carol)
    found = endpoint.ask(key, "tools/list", Cookie=cookies).json()["result"]["tools"]
    assert [tool["name"] for tool in found] == expected_tools(MAY["viewer"])
