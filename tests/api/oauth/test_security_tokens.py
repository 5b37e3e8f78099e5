"""Security cases of tokens at the MCP endpoint: invalid, revoked, or for something else."""

import json
from collections.abc import Callable
from datetime import timedelta
from itertools import product
from typing import Any

import pytest
from django.http import HttpResponse
from django.test import Client

from tests.support.case import Case
from tests.support.mcp.endpoint import PATH, PROTOCOL_VERSIONS, Endpoint, headers_of
from tests.support.oauth.assertions import (
    FORM,
    assert_token_error,
    assert_unauthorized,
    client_with,
    flow_of,
    status_of,
)
from tests.support.oauth.flow import Flow, post_token
from tests.support.personas import Persona, Personas
from tests.support.worlds import World
from visual_review.accounts.models import (
    AccessToken,
    Grant,
    Membership,
    Organization,
    TokenFamily,
    User,
)
from visual_review.accounts.oauth.resource import issuer
from visual_review.accounts.secrets import digest
from visual_review.actions.dispatch import dispatch
from visual_review.actions.registry import any_action, published_actions
from visual_review.audit.models import AuditEntry
from visual_review.builds.models import Build
from visual_review.kernel.clock import now
from visual_review.repositories.models import Repository
from visual_review.repositories.tokens import mint_token

REVOKE = "/api/oauth/revoke"
KINDS = ("access_token", "refresh_token")


@pytest.fixture
def flow(personas: Personas) -> Flow:
    return flow_of(personas.bob)


@pytest.fixture
def tokens(flow: Flow, personas: Personas) -> dict[str, Any]:
    return flow.tokens(personas.bob)


NO_ACCESS_TOKENS: list[tuple[str, Callable[[dict[str, Any]], str]]] = [
    ("a refresh token (RFC 6749, 1.5)", lambda tokens: str(tokens["refresh_token"])),
    ("an unknown one", lambda _: "vr_access_" + "x" * 43),
    ("the prefix alone", lambda _: "vr_access_"),
    ("one letter more", lambda tokens: tokens["access_token"] + "x"),
    ("one letter less", lambda tokens: str(tokens["access_token"][:-1])),
    ("capitals", lambda tokens: str(tokens["access_token"].upper())),
    ("without its prefix", lambda tokens: tokens["access_token"].removeprefix("vr_access_")),
    ("with the prefix of a key", lambda t: t["access_token"].replace("vr_access_", "vr_user_")),
    ("the digest that is stored", lambda tokens: digest(tokens["access_token"])),
    ("the digest with its prefix", lambda t: "vr_access_" + digest(t["access_token"])),
    ("a pattern that fits all", lambda _: "vr_access_%"),
    ("two of them", lambda tokens: f"{tokens['access_token']} {tokens['access_token']}"),
    ("a signed token", lambda _: "eyJhbGciOiJub25lIn0.eyJzdWIiOiJib2IifQ."),
]


def test_strings_that_are_not_access_tokens(
    endpoint: Endpoint, tokens: dict[str, Any], case: Case
) -> None:
    for name, text in NO_ACCESS_TOKENS:
        with case(name):
            assert_unauthorized(endpoint, text(tokens))
            assert status_of(endpoint, tokens["access_token"]) == 200


def test_a_code_is_not_an_access_token(endpoint: Endpoint, flow: Flow, personas: Personas) -> None:
    code = flow.code(personas.bob)
    assert_unauthorized(endpoint, code)
    # The code is still unused.
    assert flow.exchange(code).status_code == 200


def test_a_project_token_is_not_an_access_token(endpoint: Endpoint, personas: Personas) -> None:
    token = mint_token(World(personas.alice).repository)
    assert_unauthorized(endpoint, token)
    assert "Project tokens" in endpoint.ask(token, "tools/list").json()["detail"]


def test_a_session_cookie_is_not_an_access_token(endpoint: Endpoint, flow: Flow) -> None:
    """No page of another site can act through a member's cookie."""
    cookie = flow.browser.cookies["sessionid"].value
    assert status_of(endpoint, None, Cookie=f"sessionid={cookie}") == 401
    assert_unauthorized(endpoint, cookie)


ELSEWHERE_IN_THE_REQUEST: list[tuple[str, str, dict[str, str], str]] = [
    ("in the address (RFC 6750, 5.3)", "?access_token=TOKEN", {}, "{}"),
    ("in a form (OAuth 2.1, 5.1)", "", {"Content-Type": "FORM"}, "access_token=TOKEN"),
    ("in the message", "", {}, '{"access_token": "TOKEN", "authorization": "Bearer TOKEN"}'),
    ("in a cookie", "", {"Cookie": "access_token=TOKEN"}, "{}"),
    ("as a key of other services", "", {"X-API-Key": "TOKEN"}, "{}"),
    ("as another scheme", "", {"Authorization": "Basic TOKEN"}, "{}"),
    ("as a scheme of its own", "", {"Authorization": "DPoP TOKEN"}, "{}"),
    ("without a scheme", "", {"Authorization": "TOKEN"}, "{}"),
    ("as a parameter of its scheme", "", {"Authorization": "Bearer token=TOKEN"}, "{}"),
    ("in quotes", "", {"Authorization": 'Bearer "TOKEN"'}, "{}"),
    ("meant for the proxy", "", {"Proxy-Authorization": "Bearer TOKEN"}, "{}"),
]


def test_a_token_elsewhere_in_the_request_is_not_read(
    endpoint: Endpoint, tokens: dict[str, Any], case: Case
) -> None:
    token = tokens["access_token"]
    usual = headers_of(None, "tools/list", {}, "2025-11-25")
    message = '{"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": PARAMS}'
    for name, query, headers, body in ELSEWHERE_IN_THE_REQUEST:
        with case(name):
            given = {
                key: text.replace("TOKEN", token).replace("FORM", FORM)
                for key, text in headers.items()
            }
            content = body if "Content-Type" in headers else message.replace("PARAMS", body)
            response = endpoint.send(
                content.replace("TOKEN", token).encode(),
                {**usual, **given},
                path=PATH + query.replace("TOKEN", token),
            )
            assert response.status_code == 401
            assert token not in response.text


def test_two_credentials_are_rejected(endpoint: Endpoint, tokens: dict[str, Any]) -> None:
    usual = headers_of(None, "tools/list", {}, "2025-11-25")
    right = ("Authorization", f"Bearer {tokens['access_token']}")
    for other in (right, ("Authorization", "Bearer x"), ("authorization", "Basic x")):
        answer = endpoint.send(b"{}", [*usual.items(), right, other])
        assert answer.status_code == 401


def _disconnect(personas: Personas) -> None:
    grant = Grant.objects.get()
    dispatch(any_action("disconnect_app"), personas.bob.caller, {"grantId": grant.id})


def _disconnect_by_owner(personas: Personas) -> None:
    grant = Grant.objects.get()
    dispatch(any_action("disconnect_app"), personas.alice.caller, {"grantId": grant.id})


def _remove(personas: Personas) -> None:
    member = Membership.objects.get(user=personas.bob.user)
    dispatch(any_action("remove_member"), personas.alice.caller, {"membershipId": member.id})


def _deactivate(personas: Personas) -> None:
    User.objects.filter(pk=personas.bob.user.pk).update(is_active=False)


def _move(_: Personas) -> None:
    # A grant for an organization without the person.
    Grant.objects.update(organization=Organization.objects.get(name="Evil Corp"))


ENDS: list[tuple[str, Callable[[Personas], None]]] = [
    ("of an app that was disconnected", _disconnect),
    ("of an app that an owner disconnected", _disconnect_by_owner),
    ("of a member who was removed", _remove),
    ("of an account that was closed", _deactivate),
    ("of a family that was ended", lambda _: TokenFamily.objects.update(ended_at=now()) and None),
    ("of another organization than the person's", _move),
    ("of a grant that is gone", lambda _: Grant.objects.all().delete() and None),
]


def test_tokens_become_invalid_immediately(
    endpoint: Endpoint, personas: Personas, flow: Flow, tokens: dict[str, Any], case: Case
) -> None:
    for name, end in ENDS:
        with case(name):
            assert status_of(endpoint, tokens["access_token"]) == 200
            end(personas)
            assert_unauthorized(endpoint, tokens["access_token"])
            assert_token_error(flow.refresh(tokens["refresh_token"]), "invalid_grant")


def test_an_expired_token_is_rejected(
    endpoint: Endpoint, flow: Flow, tokens: dict[str, Any]
) -> None:
    """RFC 6750, 3.1; the refresh token stays valid."""
    AccessToken.objects.update(expires_at=now() - timedelta(seconds=1))
    assert_unauthorized(endpoint, tokens["access_token"])
    assert flow.refresh(tokens["refresh_token"]).status_code == 200


def test_revoked_tokens(endpoint: Endpoint, flow: Flow, tokens: dict[str, Any], case: Case) -> None:
    """RFC 7009, 2."""
    for kind in KINDS:
        with case(kind):
            form = {"token": tokens[kind], "client_id": flow.client_id}
            assert post_token(form, REVOKE).status_code == 200
            assert_unauthorized(endpoint, tokens["access_token"])


FOREIGN_REVOCATIONS: list[tuple[str, Callable[[str, str], dict[str, Any]], int]] = [
    ("by another client (RFC 7009, 2.1)", lambda t, o: {"token": t, "client_id": o}, 200),
    ("without a client", lambda t, _: {"token": t}, 401),
    ("by an unknown client", lambda t, _: {"token": t, "client_id": "client_unknown"}, 401),
    ("by two clients", lambda t, o: {"token": t, "client_id": [o, "x"]}, 400),
    ("two at once", lambda t, o: {"token": [t, "x"], "client_id": o}, 400),
]


def test_rejected_revocations(endpoint: Endpoint, tokens: dict[str, Any], case: Case) -> None:
    other = client_with()
    for (name, form, status), kind in product(FOREIGN_REVOCATIONS, KINDS):
        with case(f"{kind} {name}"):
            response = post_token(form(tokens[kind], other), REVOKE)
            assert response.status_code == status
            assert tokens[kind] not in response.content.decode()
            assert status_of(endpoint, tokens["access_token"]) == 200
            assert not AuditEntry.objects.filter(verb="app.signed_out").exists()


def rest(token: str) -> HttpResponse:
    return Client().post(
        "/api/rest/actions/list_repos",
        {},
        content_type="application/json",
        headers={"Authorization": f"Bearer {token}"},
    )


def test_other_endpoints_and_pages_do_not_accept_access_tokens(
    tokens: dict[str, Any], case: Case
) -> None:
    """RFC 8707, 2: the token is for the MCP endpoint, and nothing else."""
    for kind in KINDS:
        with case(kind):
            assert rest(tokens[kind]).status_code == 401
            client = Client(headers={"Authorization": f"Bearer {tokens[kind]}"})
            assert client.get("/api/ci/capture-plan?branch=main").status_code == 401
            for page in ("/account", "/account/apps", "/repositories", "/oauth/authorize"):
                assert client.get(page).status_code == 302
                assert client.get(f"{page}?access_token={tokens[kind]}").status_code == 302


def test_ids_of_another_organization_are_unknown(
    endpoint: Endpoint, personas: Personas, tokens: dict[str, Any]
) -> None:
    build = World(personas.mallory, "evil/web").publish({"a": "red"})
    foreign, unknown = (
        endpoint.call(tokens["access_token"], "get_build", {"buildId": build_id})
        for build_id in (build.id, "build_" + "0" * 26)
    )
    assert foreign["isError"]
    assert json.dumps(foreign).replace(build.id, "ID") == json.dumps(unknown).replace(
        "build_" + "0" * 26, "ID"
    )
    answer = endpoint.call(tokens["access_token"], "approve_build", {"buildId": build.id})
    assert answer["isError"]
    assert not AuditEntry.objects.filter(verb="build.approved").exists()


def test_a_token_for_one_organization_sees_nothing_of_the_persons_other_one(
    endpoint: Endpoint, personas: Personas
) -> None:
    evil = personas.mallory.organization
    Membership.objects.create(user=personas.bob.user, organization=evil, role="owner")
    secret = World(personas.mallory, "evil/secret").publish({"a": "red"})
    Repository.objects.create(organization=personas.bob.organization, full_name="acme/web")
    token = flow_of(personas.bob).tokens(personas.bob)["access_token"]
    listed = endpoint.call(token, "list_repos", {})["structuredContent"]["repos"]
    assert [repo["fullName"] for repo in listed] == ["acme/web"]
    for tool in ("get_build", "approve_build"):
        assert endpoint.call(token, tool, {"buildId": secret.id})["isError"]
    # And vice versa.
    there = Persona(personas.bob.user, evil)
    other = flow_of(there).tokens(there)["access_token"]
    assert not endpoint.call(other, "get_build", {"buildId": secret.id}).get("isError")


WRITING = sorted(
    action.name for action in published_actions() if not action.permission.endswith(":view")
)


def _assert_step_up(response: Any) -> None:  # noqa: ANN401 - A response of the HTTP library.
    assert response.status_code == 403
    challenge = response.headers["WWW-Authenticate"]
    assert 'error="insufficient_scope"' in challenge
    assert 'scope="read write"' in challenge
    assert f'resource_metadata="{issuer()}/.well-known/' in challenge


def test_a_read_only_app_is_challenged_to_request_more(
    endpoint: Endpoint, personas: Personas, case: Case
) -> None:
    """RFC 6750, 3.1 and the protocol's step-up, for each changing tool."""
    assert len(WRITING) > 8
    token = flow_of(personas.alice).tokens(personas.alice, "read")["access_token"]
    for version in PROTOCOL_VERSIONS:
        with case(f"protocol version {version}"):
            tools = endpoint.result(token, "tools/list", version=version)["tools"]
            assert not {tool["name"] for tool in tools} & set(WRITING)
            for tool in WRITING:
                for arguments in ({}, {"buildId": "x"}):
                    call = {"name": tool, "arguments": arguments}
                    _assert_step_up(endpoint.ask(token, "tools/call", call, version))


def test_a_header_that_names_a_harmless_tool_does_not_help(
    endpoint: Endpoint, personas: Personas
) -> None:
    build = World(personas.alice).publish({"a": "red"})
    token = flow_of(personas.alice).tokens(personas.alice, "read")["access_token"]
    call = {"name": "approve_build", "arguments": {"buildId": build.id}}
    _assert_step_up(
        endpoint.ask(token, "tools/call", call, "2026-07-28", **{"Mcp-Name": "list_repos"})
    )
    assert not AuditEntry.objects.filter(verb="build.approved").exists()


def test_a_viewer_with_write_scope_gets_an_error_without_step_up(
    endpoint: Endpoint, personas: Personas
) -> None:
    """Another consent would not help: the role lacks the permission."""
    build = World(personas.alice).publish({"a": "red"})
    token = flow_of(personas.carol).tokens(personas.carol)["access_token"]
    answer = endpoint.call(token, "approve_build", {"buildId": build.id})
    assert answer["isError"]
    assert not AuditEntry.objects.filter(verb="build.approved").exists()


def test_a_lower_role_applies_to_the_next_call(
    endpoint: Endpoint, personas: Personas, tokens: dict[str, Any]
) -> None:
    world = World(personas.alice)
    first, second = world.publish({"a": "red"}), world.publish({"a": "blue"})
    token = tokens["access_token"]
    assert not endpoint.call(token, "approve_build", {"buildId": first.id}).get("isError")
    member = Membership.objects.get(user=personas.bob.user)
    change = {"membershipId": member.id, "role": "viewer"}
    dispatch(any_action("change_member_role"), personas.alice.caller, change)
    assert endpoint.call(token, "approve_build", {"buildId": second.id})["isError"]
    listed = {tool["name"] for tool in endpoint.result(token, "tools/list")["tools"]}
    assert not listed & set(WRITING)
    assert Build.objects.get(pk=second.id).status != "passed"


def test_no_scope_reaches_the_actions_of_pages(endpoint: Endpoint, personas: Personas) -> None:
    """An owner's app cannot manage members or keys, nor connect or disconnect apps."""
    token = flow_of(personas.alice).tokens(personas.alice)["access_token"]
    client = Client(headers={"Authorization": f"Bearer {token}"})
    for name in (
        "connect_app",
        "disconnect_app",
        "refuse_app",
        "create_api_key",
        "revoke_api_key",
        "invite_member",
        "change_member_role",
        "remove_member",
        "create_password_link",
    ):
        assert any_action(name)
        answer = endpoint.ask(token, "tools/call", {"name": name, "arguments": {}})
        assert answer.json()["error"]["code"] == -32602
        for prefix in ("/api/rest/actions/", "/api/mcp/"):
            response = client.post(prefix + name, {}, content_type="application/json")
            assert response.status_code in {401, 404}


def test_tokens_are_not_passwords(personas: Personas, tokens: dict[str, Any]) -> None:
    for secret in (tokens["access_token"], tokens["refresh_token"]):
        browser = Client()
        browser.post("/sign-in", {"login": personas.bob.user.email, "password": secret})
        assert browser.get("/account").status_code == 302
