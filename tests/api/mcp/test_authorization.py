"""Who may call what over MCP: roles, keys, tokens, and nothing of another organization."""

from base64 import b64encode
from datetime import timedelta
from itertools import product

import pytest
from django.test import Client

from tests.support.action_arguments import Target, create_target, target_of
from tests.support.api_keys import organization_key, user_key
from tests.support.api_reviewers import IDS, MAY, NEEDS, missing_like, other_kind
from tests.support.case import Case
from tests.support.database import rolled_back
from tests.support.mcp.endpoint import PROTOCOL_VERSIONS, Endpoint, ProtocolVersion
from tests.support.personas import Personas
from tests.support.worlds import World
from visual_review.accounts.bearer_credentials import CREDENTIAL_INVALID
from visual_review.accounts.callers import KEY_INVALID
from visual_review.accounts.models import ApiKey, Membership, User
from visual_review.actions.internal import INTERNAL
from visual_review.actions.registry import callable_actions, nearest_action
from visual_review.audit.models import AuditEntry
from visual_review.kernel.clock import now
from visual_review.repositories.tokens import mint_token

IMAGES_NEED = "builds:view"


@pytest.fixture
def target(personas: Personas) -> Target:
    return target_of(personas.alice)


def listed_tools(endpoint: Endpoint, key: str, version: ProtocolVersion) -> list[str]:
    return [tool["name"] for tool in endpoint.result(key, "tools/list", version=version)["tools"]]


def expected_tools(permissions: set[str]) -> list[str]:
    """Return the tools of the given permissions, in the order of the interface."""
    return [name for name, need in NEEDS.items() if need in permissions]


def callable_tools(
    endpoint: Endpoint, key: str, target: Target, version: ProtocolVersion
) -> list[str]:
    """Return the tools whose calls are not forbidden."""
    found = []
    for name, payload in target.calls.items():
        with rolled_back():
            response = endpoint.call(key, name, payload, version)
        if not response["isError"]:
            found.append(name)
        else:
            assert response["content"][0]["text"].startswith("Forbidden: "), response
            assert NEEDS.get(name, IMAGES_NEED) in response["content"][0]["text"]
    return found


def assert_tools(endpoint: Endpoint, key: str, target: Target, permissions: set[str]) -> None:
    """Check that the listed tools are the callable ones, in both protocol versions."""
    for version in PROTOCOL_VERSIONS:
        assert listed_tools(endpoint, key, version) == expected_tools(permissions)
    # Both protocol versions share the check, so one of them is enough here.
    assert sorted(callable_tools(endpoint, key, target, version)) == sorted(
        expected_tools(permissions)
    )


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
    for version in PROTOCOL_VERSIONS:
        with case(version):
            key = user_key(personas.bob)
            reviews = {"screenshotId": target.screenshot.id, "state": "rejected"}
            assert not endpoint.call(key, "review_screenshot", reviews, version)["isError"]

            Membership.objects.filter(user=personas.bob.user).update(role="viewer")

            assert endpoint.call(key, "review_screenshot", reviews, version)["isError"]
            assert listed_tools(endpoint, key, version) == expected_tools(MAY["viewer"])

            Membership.objects.filter(user=personas.bob.user).delete()

            assert endpoint.ask(key, "tools/list", version=version).status_code == 401


def unauthorized_message(
    endpoint: Endpoint, credential: str | None, version: ProtocolVersion
) -> str:
    """Return the message of a 401; the message must say how to sign in."""
    response = endpoint.ask(credential, "tools/list", version=version)
    assert response.status_code == 401
    assert response.headers["content-type"] == "application/problem+json"
    challenge = response.headers["www-authenticate"]
    assert challenge.startswith('Bearer realm="Visual Review"')
    assert "/.well-known/oauth-protected-resource/api/mcp" in challenge
    # RFC 6750, 3.1: no error code for a request without a credential.
    assert ('error="invalid_token"' in challenge) == (credential is not None)
    return str(response.json()["detail"])


def test_a_revoked_expired_or_unknown_key_has_the_same_error(
    case: Case, endpoint: Endpoint, personas: Personas
) -> None:
    key = user_key(personas.bob)
    for version in PROTOCOL_VERSIONS:
        with case(version):
            for change in ({"revoked_at": now()}, {"expires_at": now() - timedelta(seconds=1)}):
                with rolled_back():
                    ApiKey.objects.update(**change)
                    assert unauthorized_message(endpoint, key, version) == KEY_INVALID
            with rolled_back():
                User.objects.filter(pk=personas.bob.user.pk).update(is_active=False)
                assert unauthorized_message(endpoint, key, version) == KEY_INVALID
            for wrong in ("vr_user_wrong", f"{key}x", key[:-1], "vr_org_"):
                assert unauthorized_message(endpoint, wrong, version) == KEY_INVALID
            for nonsense in (None, "nonsense", "a b", "vr_refresh_wrong"):
                assert unauthorized_message(endpoint, nonsense, version) == CREDENTIAL_INVALID
            assert listed_tools(endpoint, key, version) == expected_tools(MAY["reviewer"])


def test_a_project_token_is_rejected_with_its_purpose(
    case: Case, endpoint: Endpoint, target: Target
) -> None:
    for version in PROTOCOL_VERSIONS:
        with case(version):
            message = unauthorized_message(endpoint, mint_token(target.world.repository), version)
            assert "Project tokens are for CI" in message


def test_an_internal_action_is_an_unknown_tool(
    case: Case, endpoint: Endpoint, personas: Personas
) -> None:
    key = user_key(personas.alice)
    internal = [action.name for action in INTERNAL]
    for version in PROTOCOL_VERSIONS:
        with case(version):
            for name in (*internal, "no_such_tool", "", "x" * 5000, "ü\u202e"):
                headers = {"Mcp-Name": encoded(name)} if version == "2026-07-28" else {}
                params = {"name": name, "arguments": {}}
                response = endpoint.ask(key, "tools/call", params, version, **headers).json()
                assert response["error"]["code"] == -32602, name
                expected = f"There is no tool '{name[:80]}'.{nearest_action(name)}"
                assert response["error"]["message"] == expected


def encoded(name: str) -> str:
    """Return a name as its header has it: text beyond ASCII in base64, required by the protocol."""
    if name.isascii() and name.strip() == name and name:
        return name
    return f"=?base64?{b64encode(name.encode()).decode()}?="


def test_an_id_of_another_organization_is_treated_like_a_missing_one(
    case: Case, endpoint: Endpoint, personas: Personas, target: Target
) -> None:
    mallory = user_key(personas.mallory)
    create_target(World(personas.mallory, "evil/web"))
    entries = AuditEntry.objects.count()
    calls = target.calls
    with_ids = [(name, field) for name in calls for field in IDS if field in calls[name]]
    assert with_ids
    for (name, field), version in product(with_ids, PROTOCOL_VERSIONS):
        with case(f"{name}, {version}"):
            payload = calls[name]
            foreign = endpoint.call(mallory, name, payload, version)
            assert foreign["isError"]
            assert foreign["content"][0]["text"].startswith("Not Found: ")
            missing = {**payload, field: missing_like(payload[field])}
            assert endpoint.call(mallory, name, missing, version) == foreign
            # The error for another kind of id depends on the id's text alone.
            existing = other_kind(target, field)
            said = [
                str(endpoint.call(mallory, name, {**payload, field: other}, version)).replace(
                    other, "that"
                )
                for other in (existing, missing_like(existing))
            ]
            assert said[0] == said[1]
            assert f"'{field}' needs the id of" in said[0]
            assert AuditEntry.objects.count() == entries


def test_no_response_contains_anything_of_another_organization(
    case: Case, endpoint: Endpoint, personas: Personas, target: Target
) -> None:
    theirs = create_target(World(personas.mallory, "evil/web"))
    key = user_key(personas.alice)
    reading = [action.name for action in callable_actions() if action.read_only]
    for name, version in product(reading, PROTOCOL_VERSIONS):
        with case(f"{name}, {version}"):
            params = {"name": name, "arguments": target.calls[name]}
            response = endpoint.ask(key, "tools/call", params, version)
            assert not response.json()["result"]["isError"]
            for foreign in (theirs.world.repository.id, theirs.build.id, theirs.screenshot.id):
                assert foreign not in response.text


def test_a_session_of_the_pages_is_no_credential(
    endpoint: Endpoint, personas: Personas, client: Client
) -> None:
    client.force_login(personas.alice.user)
    cookies = "; ".join(f"{name}={morsel.value}" for name, morsel in client.cookies.items())
    assert "sessionid" in cookies
    assert endpoint.ask(None, "tools/list", Cookie=cookies).status_code == 401
    # Nor does the cookie lend its rights to a key with fewer.
    key = user_key(personas.carol)
    found = endpoint.ask(key, "tools/list", Cookie=cookies).json()["result"]["tools"]
    assert [tool["name"] for tool in found] == expected_tools(MAY["viewer"])
