"""Who may call what, over MCP: roles, keys, tokens, and the walls between organizations."""

from base64 import b64encode
from datetime import timedelta

import pytest
from django.test import Client

from tests.doors.arguments import Target, calls, target
from tests.doors.keys import organization_key, user_key
from tests.doors.mcp.client import ERAS, Endpoint, Era
from tests.doors.mcp.parity import undone
from tests.doors.test_walls import IDS, MAY, NEEDS, missing_like, other_kind
from tests.personas import Personas
from tests.worlds import World
from visual_review.accounts.bearers import CREDENTIAL_INVALID
from visual_review.accounts.callers import KEY_INVALID
from visual_review.accounts.models import ApiKey, Membership
from visual_review.actions.internal import INTERNAL
from visual_review.actions.registry import published_actions
from visual_review.api.mcp.image_tool import IMAGE_TOOL
from visual_review.audit.models import AuditEntry
from visual_review.kernel.clock import now
from visual_review.repositories.tokens import mint_token

IMAGES_NEED = "builds:view"


@pytest.fixture
def on(personas: Personas) -> Target:
    return target(World(personas.alice))


def listed(endpoint: Endpoint, key: str, era: Era) -> list[str]:
    return [tool["name"] for tool in endpoint.result(key, "tools/list", era=era)["tools"]]


def allowed(permissions: set[str]) -> list[str]:
    """The tools these permissions stand for, in the order of the interface."""
    images = [IMAGE_TOOL] if IMAGES_NEED in permissions else []
    return [name for name, need in NEEDS.items() if need in permissions] + images


def callable_ones(endpoint: Endpoint, key: str, on: Target, era: Era) -> list[str]:
    """The tools whose calls are not refused for want of a permission."""
    found = []
    for name, payload in {**calls(on), IMAGE_TOOL: {"screenshotId": on.screenshot.id}}.items():
        with undone():
            answer = endpoint.call(key, name, payload, era)
        if not answer["isError"]:
            found.append(name)
        else:
            assert answer["content"][0]["text"].startswith("Forbidden: "), answer
            assert NEEDS.get(name, IMAGES_NEED) in answer["content"][0]["text"]
    return found


def assert_holds(endpoint: Endpoint, key: str, on: Target, permissions: set[str]) -> None:
    """What is listed is what may be called, in both eras."""
    for era in ERAS:
        assert listed(endpoint, key, era) == allowed(permissions)
    # The eras share what decides, so that one of them is enough here.
    assert sorted(callable_ones(endpoint, key, on, era)) == sorted(allowed(permissions))


@pytest.mark.parametrize("role", MAY)
def test_a_user_key_has_the_tools_of_the_role(
    endpoint: Endpoint, personas: Personas, on: Target, role: str
) -> None:
    Membership.objects.filter(user=personas.bob.user).update(role=role)
    assert_holds(endpoint, user_key(personas.bob), on, MAY[role])


@pytest.mark.parametrize("permission", sorted(MAY["admin"]))
def test_an_organization_key_has_the_tools_it_names(
    endpoint: Endpoint, personas: Personas, on: Target, permission: str
) -> None:
    assert_holds(endpoint, organization_key(personas.alice, (permission,)), on, {permission})


def test_a_user_key_never_exceeds_the_role_nor_what_it_names(
    endpoint: Endpoint, personas: Personas, on: Target
) -> None:
    viewer = user_key(personas.carol, ("repos:manage", "builds:review", "builds:view"))
    assert_holds(endpoint, viewer, on, {"builds:view"})
    owner = user_key(personas.alice, ("builds:review",))
    assert_holds(endpoint, owner, on, {"builds:review"})


def test_permissions_of_pages_are_worth_nothing_in_a_key(
    endpoint: Endpoint, personas: Personas, on: Target
) -> None:
    key = organization_key(personas.alice, ("members:manage", "keys:manage", "audit:view"))
    assert_holds(endpoint, key, on, set())


@pytest.mark.parametrize("era", ERAS)
def test_a_role_that_is_lowered_acts_on_the_next_call(
    endpoint: Endpoint, personas: Personas, on: Target, era: Era
) -> None:
    key = user_key(personas.bob)
    reviews = {"screenshotId": on.screenshot.id, "state": "rejected"}
    assert not endpoint.call(key, "review_screenshot", reviews, era)["isError"]

    Membership.objects.filter(user=personas.bob.user).update(role="viewer")

    assert endpoint.call(key, "review_screenshot", reviews, era)["isError"]
    assert listed(endpoint, key, era) == allowed(MAY["viewer"])

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


@pytest.mark.parametrize("era", ERAS)
def test_an_ended_or_unknown_key_is_refused_in_the_same_words(
    endpoint: Endpoint, personas: Personas, era: Era
) -> None:
    key = user_key(personas.bob)
    for change in ({"revoked_at": now()}, {"expires_at": now() - timedelta(seconds=1)}):
        with undone():
            ApiKey.objects.update(**change)
            assert refused(endpoint, key, era) == KEY_INVALID
    with undone():
        personas.bob.user.is_active = False
        personas.bob.user.save()
        assert refused(endpoint, key, era) == KEY_INVALID
    for wrong in ("vr_user_wrong", f"{key}x", key[:-1], "vr_org_"):
        assert refused(endpoint, wrong, era) == KEY_INVALID
    for nonsense in (None, "nonsense", "a b", "vr_refresh_wrong"):
        assert refused(endpoint, nonsense, era) == CREDENTIAL_INVALID
    assert listed(endpoint, key, era) == allowed(MAY["reviewer"])


@pytest.mark.parametrize("era", ERAS)
def test_a_project_token_is_told_what_it_is_for(endpoint: Endpoint, on: Target, era: Era) -> None:
    words = refused(endpoint, mint_token(on.world.repository), era)
    assert "project token of CI" in words


@pytest.mark.parametrize("era", ERAS)
def test_what_only_pages_do_is_unknown_here(
    endpoint: Endpoint, personas: Personas, era: Era
) -> None:
    key = user_key(personas.alice)
    for name in (*(action.name for action in INTERNAL), "no_such_tool", "", "x" * 5000, "ü\u202e"):
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


@pytest.mark.parametrize("era", ERAS)
def test_a_foreign_id_is_answered_in_the_words_of_a_missing_one(
    endpoint: Endpoint, personas: Personas, on: Target, era: Era
) -> None:
    mallory = user_key(personas.mallory)
    target(World(personas.mallory, "evil/web"))
    entries = AuditEntry.objects.count()
    tools = {**calls(on), IMAGE_TOOL: {"screenshotId": on.screenshot.id}}
    seen = 0
    for name, payload in tools.items():
        for place in payload.keys() & set(IDS):
            foreign = endpoint.call(mallory, name, payload, era)
            assert foreign["isError"]
            assert foreign["content"][0]["text"].startswith("Not Found: ")
            for missing in (missing_like(payload[place]), other_kind(on, place)):
                assert endpoint.call(mallory, name, {**payload, place: missing}, era) == foreign
            seen += 1
    assert seen == sum(1 for payload in tools.values() if payload.keys() & set(IDS))
    assert AuditEntry.objects.count() == entries


@pytest.mark.parametrize("era", ERAS)
def test_nothing_foreign_stands_in_any_answer(
    endpoint: Endpoint, personas: Personas, on: Target, era: Era
) -> None:
    theirs = target(World(personas.mallory, "evil/web"))
    key = user_key(personas.alice)
    for action in published_actions():
        if action.read_only:
            params = {"name": action.name, "arguments": calls(on)[action.name]}
            answer = endpoint.ask(key, "tools/call", params, era)
            assert not answer.json()["result"]["isError"]
            for foreign in (theirs.world.repository.id, theirs.build.id, theirs.screenshot.id):
                assert foreign not in answer.text, action.name


def test_a_session_of_the_pages_counts_for_nothing(
    endpoint: Endpoint, personas: Personas, client: Client
) -> None:
    client.force_login(personas.alice.user)
    cookies = "; ".join(f"{name}={morsel.value}" for name, morsel in client.cookies.items())
    assert "sessionid" in cookies
    assert endpoint.ask(None, "tools/list", Cookie=cookies).status_code == 401
    # Nor does it lend its rights to a key that has fewer.
    key = user_key(personas.carol)
    found = endpoint.ask(key, "tools/list", Cookie=cookies).json()["result"]["tools"]
    assert [tool["name"] for tool in found] == allowed(MAY["viewer"])
