"""Parts of a result: each is short, and together they are the whole."""

import json
from collections.abc import Iterator
from copy import deepcopy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mcp_types.methods import serialize_server_result
from mcp_types.version import KNOWN_PROTOCOL_VERSIONS

from tests.support.case import Case
from tests.support.mcp.results import caller
from visual_review.api.mcp.protocol import NEWER_VERSIONS, SERVER_MEMBER
from visual_review.api.mcp.rendering.truncation import count_json_tokens
from visual_review.api.mcp.result_parts import FIRST, Part, Section, read_part
from visual_review.api.mcp.results import SERVER_INFO, ToolResult, encode_any_result, text_block
from visual_review.api.mcp.server import METHODS, ProtocolRequest, handle_request

MOST_TOKENS = 9_900
LONG = "\u0007é🙂 data " * 4_000
HEAD = {"id": "build_1", "message": "hello", "groups": [], "screenshots": []}


def sections(head: Any, groups: list[Any], screenshots: list[Any]) -> list[Section]:  # noqa: ANN401 - JSON.
    return [
        Section("build", "/build", [head], is_list=False),
        Section("groups", "/build/groups", groups),
        Section("screenshots", "/build/screenshots", screenshots),
    ]


def parts_of(found: list[Section]) -> Iterator[Part]:
    name: str | None = FIRST
    while name is not None:
        part = read_part(found, name)
        assert part is not None, name
        yield part
        name = part.next.name if part.next else None


def put_together(parts: list[Part]) -> Any:  # noqa: ANN401 - JSON.
    """Join the pieces as the resource's description says."""
    whole: dict[str, Any] = {}
    for piece in (piece for part in parts for piece in part.pieces):
        put(whole, piece["at"].split("/")[1:], deepcopy(piece["value"]))
    return whole


def put(target: Any, path: list[str], value: Any) -> None:  # noqa: ANN401 - JSON.
    key: Any = int(path[0]) if isinstance(target, list) else path[0]
    missing = key >= len(target) if isinstance(target, list) else key not in target
    if len(path) > 1:
        if missing:
            put(target, path[:1], {})
        put(target[key], path[1:], value)
    elif missing and isinstance(target, list):
        target.append(value)
    elif missing:
        target[key] = value
    elif isinstance(value, dict):
        target[key].update(value)
    else:
        target[key] += value


def shots(count: int) -> list[Any]:
    return [{"id": f"shot_{number}", "comment": "why " * 40} for number in range(count)]


@pytest.mark.parametrize(
    ("head", "groups", "screenshots"),
    [
        (HEAD, [], []),
        (HEAD, [{"id": "group_1", "remainderIds": []}], shots(3)),
        (HEAD, [], shots(1_000)),
        ({**HEAD, "message": LONG}, [], shots(3)),
        (HEAD, [{"id": "group_1", "remainderIds": [f"shot_{n:026}" for n in range(9_000)]}], []),
        (HEAD, [], [{"id": "shot_1", "comment": LONG, "earlier": {"comment": LONG}}, *shots(90)]),
    ],
)
def test_parts_are_short_and_together_the_whole(
    head: dict[str, Any], groups: list[Any], screenshots: list[Any]
) -> None:
    found = list(parts_of(sections(head, groups, screenshots)))
    assert all(count_json_tokens(part.pieces) <= MOST_TOKENS for part in found)
    assert put_together(found)["build"] == {**head, "groups": groups, "screenshots": screenshots}


@given(st.lists(st.integers(0, 30_000), max_size=12))
def test_nothing_is_lost_between_parts_of_any_length(lengths: list[int]) -> None:
    items = [{"id": number, "text": "ab 1é" * (size // 5)} for number, size in enumerate(lengths)]
    found = list(parts_of(sections(HEAD, [], items)))
    assert all(part.pieces for part in found)
    assert all(count_json_tokens(part.pieces) <= MOST_TOKENS for part in found)
    assert put_together(found)["build"]["screenshots"] == items


@pytest.mark.parametrize("name", ["", "start-1", "groups-0", "screenshots-3", "nothing-0", "build"])
def test_there_is_no_part_of_another_name(name: str) -> None:
    assert read_part(sections(HEAD, [], shots(3)), name) is None


def test_a_part_may_begin_anywhere_in_a_list() -> None:
    part = read_part(sections(HEAD, [], shots(3)), "screenshots-1")
    assert part is not None
    assert part.pieces == [{"at": "/build/screenshots", "value": shots(3)[1:]}]


TOOL_RESULTS = (
    ToolResult([text_block("plain")]),
    ToolResult([text_block('"\\\n\u2028ü\U0001f642')], b'{"a":[1,null,"\xc3\xbc"]}'),
    ToolResult([text_block("wrong"), text_block("")], is_error=True),
    ToolResult(
        [
            {"type": "resource_link", "uri": "visual-review://screenshots/x/after", "name": "x"},
            {"type": "image", "data": "aGk=", "mimeType": "image/png"},
        ]
    ),
)
PARAMS: dict[str, dict[str, Any]] = {
    "initialize": {
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "x", "version": "1"},
    }
}
# These methods need a database.
OTHERS = {"tools/call", "resources/read", "prompts/get"}


def assert_is_the_librarys(method: str, version: str, encoded: bytes) -> None:
    found = json.loads(encoded)
    stamp = {SERVER_MEMBER: SERVER_INFO}
    assert found.get("_meta") == (stamp if version in NEWER_VERSIONS else None)
    assert serialize_server_result(method, version, found) == found


def test_tool_results_are_those_of_the_library(case: Case) -> None:
    for version in KNOWN_PROTOCOL_VERSIONS:
        for result in TOOL_RESULTS:
            with case(f"{version}, {result.content}"):
                encoded = encode_any_result(version, result)
                assert_is_the_librarys("tools/call", version, encoded)
                found = json.loads(encoded)
                assert found["content"] == result.content
                assert found["isError"] == result.is_error
                structured = json.loads(result.structured) if result.structured else None
                assert found.get("structuredContent") == structured


def test_other_results_are_those_of_the_library(case: Case) -> None:
    for method, known in METHODS.items():
        for version in set(known.versions) if method not in OTHERS else ():
            with case(f"{method}, {version}"):
                request = ProtocolRequest(caller(), version, method, PARAMS.get(method, {}))
                assert_is_the_librarys(method, version, handle_request(request))
