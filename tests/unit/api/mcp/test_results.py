"""Results have the form that the protocol's own types give them."""

import json
from typing import Any

from mcp_types.methods import serialize_server_result
from mcp_types.version import KNOWN_PROTOCOL_VERSIONS

from tests.support.case import Case
from tests.support.mcp.results import caller
from visual_review.api.mcp.protocol import NEWER_VERSIONS, SERVER_MEMBER
from visual_review.api.mcp.results import SERVER_INFO, ToolResult, encode_any_result, text_block
from visual_review.api.mcp.server import METHODS, ProtocolRequest, handle_request

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
# These need a database.
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
