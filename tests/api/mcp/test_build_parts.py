"""The whole result of get_build in parts, and the encoded list of tools."""

import json
from itertools import product
from typing import Any

import pytest

from tests.support.api_keys import organization_key, user_key
from tests.support.case import Case
from tests.support.mcp.endpoint import PROTOCOL_VERSIONS, Endpoint, ProtocolVersion
from tests.support.mcp.parity import call_rest
from tests.support.personas import Personas
from tests.support.worlds import build_with_a_change
from visual_review.actions.registry import callable_actions
from visual_review.api.mcp.rendering.truncation import count_tokens
from visual_review.builds.models import Build, Screenshot

MOST_TOKENS = 10_000
PUBLISHED = "?tools=published"
# Signed anew for each request.
SIGNED = ("Url", "ExpireAt")


@pytest.fixture
def build(personas: Personas) -> Build:
    return build_with_a_change(personas.alice)[1]


def fill(build: Build, count: int) -> None:
    """Add changed screenshots without images, each with a message."""
    Screenshot.objects.bulk_create(
        Screenshot(
            build=build,
            story_id=f"story-{number:04}",
            theme="light",
            device="phone",
            diff_state="failed",
            message=f"It threw {number}. " * (400 if number == 0 else 4),
        )
        for number in range(count)
    )


def link_of(endpoint: Endpoint, key: str, build: Build, query: str) -> str | None:
    params = {"name": "get_build", "arguments": {"buildId": build.id}}
    content = endpoint.ask(key, "tools/call", params, "2025-11-25", query).json()["result"]
    links = [block["uri"] for block in content["content"] if block["type"] == "resource_link"]
    return next((uri for uri in links if "/result/" in uri), None)


def read(
    endpoint: Endpoint, key: str, uri: str, version: ProtocolVersion = "2025-11-25"
) -> dict[str, Any]:
    response = endpoint.ask(key, "resources/read", {"uri": uri}, version, PUBLISHED)
    return dict(response.json())


def read_whole(endpoint: Endpoint, key: str, uri: str | None) -> dict[str, Any]:
    """Follow the links from part to part, and join the pieces."""
    whole: dict[str, Any] = {}
    while uri is not None:
        (content,) = read(endpoint, key, uri)["result"]["contents"]
        assert content["mimeType"] == "application/json"
        assert count_tokens(content["text"]) <= MOST_TOKENS
        document = json.loads(content["text"])
        assert "data" in document["note"]
        for piece in document["pieces"]:
            if piece["at"] == "/build":
                whole = piece["value"]
            else:
                whole[piece["at"].rpartition("/")[2]] += piece["value"]
        uri = document["next"]
    return whole


def unsigned(value: Any) -> Any:  # noqa: ANN401 - Any JSON.
    if isinstance(value, dict):
        return {
            key: bool(item) if key.endswith(SIGNED) else unsigned(item)
            for key, item in value.items()
        }
    return [unsigned(item) for item in value] if isinstance(value, list) else value


def test_the_parts_are_rests_result_with_exactly_the_twenty_tools(
    endpoint: Endpoint, personas: Personas, build: Build
) -> None:
    fill(build, 300)
    key = user_key(personas.carol)
    first = link_of(endpoint, key, build, PUBLISHED)
    assert first == f"visual-review://builds/{build.id}/result/start"
    whole = read_whole(endpoint, key, first)
    rest = call_rest(key, "get_build", {"buildId": build.id}).result["build"]
    assert len(whole["screenshots"]) == 303
    assert unsigned(whole) == unsigned(rest)


def test_a_short_result_is_linked_only_where_no_extension_lists_changes(
    endpoint: Endpoint, personas: Personas, build: Build
) -> None:
    key = user_key(personas.carol)
    assert link_of(endpoint, key, build, "") is None
    assert link_of(endpoint, key, build, PUBLISHED) is not None
    fill(build, 300)
    assert link_of(endpoint, key, build, "") is not None


def test_the_template_is_listed(endpoint: Endpoint, personas: Personas) -> None:
    found = endpoint.result(user_key(personas.carol), "resources/templates/list")
    uris = [template["uriTemplate"] for template in found["resourceTemplates"]]
    assert "visual-review://builds/{buildId}/result/{part}" in uris


NOT_FOUND_CODES: tuple[tuple[ProtocolVersion, int], ...] = (
    ("2025-11-25", -32002),
    ("2026-07-28", -32602),
)


def test_a_missing_part_says_where_to_begin(
    case: Case, endpoint: Endpoint, personas: Personas, build: Build
) -> None:
    key = user_key(personas.carol)
    wrong = (
        (f"visual-review://builds/{build.id}/result/99", f"{build.id}/result/start"),
        (f"visual-review://builds/{build.id}/result/screenshots-3", f"{build.id}/result/start"),
        (f"visual-review://builds/{build.id}", "{buildId}/result/{part}"),
        ("visual-review://builds/build_unknown/result/start", "There is no build"),
    )
    for (uri, said), (version, code) in product(wrong, NOT_FOUND_CODES):
        with case(f"{uri} {version}"):
            error = read(endpoint, key, uri, version)["error"]
            assert (error["code"], error["data"]) == (code, {"uri": uri})
            assert said in error["message"]


def test_no_one_reads_a_build_of_another_organization_or_without_the_permission(
    endpoint: Endpoint, personas: Personas, build: Build
) -> None:
    uri = f"visual-review://builds/{build.id}/result/start"
    unknown = "visual-review://builds/build_00000000000000000000000000/result/start"
    foreign = user_key(personas.mallory)
    errors = [read(endpoint, foreign, each)["error"]["message"] for each in (uri, unknown)]
    assert errors[0] == errors[1]
    lacking = organization_key(personas.alice, ("repos:view",))
    assert "builds:view" in read(endpoint, lacking, uri)["error"]["message"]
    assert endpoint.result(lacking, "resources/templates/list")["resourceTemplates"] == []


STATES = (
    ("completed", "approved", "approved", False),
    ("completed", "rejected", "rejected", False),
    ("failed", "unreviewed", "", False),
    ("completed", "unreviewed", "", True),
)


def test_the_advice_about_what_is_left_out_is_true(
    case: Case, endpoint: Endpoint, personas: Personas, build: Build
) -> None:
    fill(build, 300)
    params = {"name": "get_build", "arguments": {"buildId": build.id}}
    for status, review_state, decision, has_open in STATES:
        with case(f"{status} {review_state}"):
            Build.objects.filter(pk=build.pk).update(status=status, review_state=review_state)
            rows = Screenshot.objects.filter(build=build, diff_state__in=("changed", "new"))
            rows.update(review_decision=decision)
            response = endpoint.ask(
                user_key(personas.bob), "tools/call", params, "2025-11-25", PUBLISHED
            )
            result = response.json()["result"]
            advice = "decide it, and get_build lists the next"
            left_out = result["structuredContent"]["leftOut"]
            assert (advice in left_out) is has_open
            assert "The linked resource has everything" in left_out
            assert ("Next:" in result["content"][0]["text"]) is has_open


# Of a whole list: of the published actions, of a review, and of all.
MOST_BYTES = {"?tools=published": 12_000, "?tools=review": 14_800, "": 20_800}


def test_the_list_is_byte_for_byte_the_same_and_short(
    case: Case, endpoint: Endpoint, personas: Personas
) -> None:
    key = user_key(personas.alice)
    for version, (query, most) in product(PROTOCOL_VERSIONS, MOST_BYTES.items()):
        with case(f"{version} {query}"):
            first = endpoint.ask(key, "tools/list", None, version, query).content
            assert endpoint.ask(key, "tools/list", None, version, query).content == first
            assert len(first) < most


MEMBERS = ("alice", "bob", "carol")


def test_the_list_holds_what_its_caller_may_in_the_order_of_the_interface(
    case: Case, endpoint: Endpoint, personas: Personas
) -> None:
    for name, version in product(MEMBERS, PROTOCOL_VERSIONS):
        with case(f"{name}, {version}"):
            persona = getattr(personas, name)
            listed = endpoint.result(user_key(persona), "tools/list", version=version)["tools"]
            allowed = [
                action.name
                for action in callable_actions()
                if persona.caller.may(action.permission)
            ]
            assert [tool["name"] for tool in listed] == allowed


def test_the_list_says_nothing_that_the_protocol_takes_for_granted(
    endpoint: Endpoint, personas: Personas
) -> None:
    response = endpoint.ask(user_key(personas.alice), "tools/list")
    assert "null" not in json.dumps(response.json()["result"])
