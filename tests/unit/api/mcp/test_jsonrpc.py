"""Bodies of one JSON-RPC message, and rejections of all others."""

import json

import mcp_types
import pytest
from hypothesis import given
from hypothesis import strategies as st
from mcp_types import INVALID_REQUEST, PARSE_ERROR, jsonrpc
from mcp_types.methods import CLIENT_REQUESTS
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS, MODERN_PROTOCOL_VERSIONS

from tests.support.case import Case
from visual_review.api.mcp import protocol
from visual_review.api.mcp.responses import InvalidMessageError, called_tool, read_message
from visual_review.api.mcp.server import METHODS

GOOD = {"jsonrpc": "2.0", "id": 7, "method": "ping"}


def read_invalid(body: bytes) -> InvalidMessageError:
    with pytest.raises(InvalidMessageError) as caught:
        read_message(body)
    return caught.value


UNREADABLE = [
    (b"", "not JSON"),
    (b"{", "line 1, column 2"),
    (b'{"id": NaN}', "NaN"),
    (b'{"id": 1, "id": 1}', "'id' twice"),
    (b'{"params": {"name": "a", "name": "b"}}', "'name' twice"),
    (b'{"id": "\xff"}', "not UTF-8"),
    (b'{"id": ' + b"1" * 5000 + b"}", "too many digits"),
    (b'{"params": ' + b"[" * 100_000 + b"]" * 100_000 + b"}", "deeper than 50"),
    (b'{"params": ' + b"[" * 300 + b"]" * 300 + b"}", "deeper than 50"),
    (b'{"method": "a\\ud800"}', "'/method' contains half of a surrogate pair"),
    (b'{"params": {"\\udfff": 1}}', "half of a surrogate pair"),
]


def test_what_cannot_be_read_is_a_parse_error_with_its_place(case: Case) -> None:
    for body, expected in UNREADABLE:
        with case(expected):
            error = read_invalid(body)
            assert (error.code, error.request_id) == (PARSE_ERROR, None)
            assert expected in str(error)


def test_only_an_object_is_a_message(case: Case) -> None:
    for body in (b"[]", b"null", b'"text"', b"7", b"true"):
        with case(body):
            assert read_invalid(body).code == INVALID_REQUEST


def test_a_batch_is_rejected_with_advice_to_send_single_messages() -> None:
    assert "one message per request" in str(read_invalid(json.dumps([GOOD, GOOD]).encode()))


WRONG_MEMBERS = [
    ({"jsonrpc": "1.0"}, "jsonrpc", 7),
    ({"jsonrpc": 2.0}, "jsonrpc", 7),
    ({"jsonrpc": None}, "jsonrpc", 7),
    ({"id": None}, "'id'", None),
    ({"id": True}, "'id'", None),
    ({"id": 1.5}, "'id'", None),
    ({"id": {}}, "'id'", None),
    ({"id": [1]}, "'id'", None),
    ({"method": None}, "'method' must be a string", 7),
    ({"method": ["ping"]}, "'method' must be a string", 7),
    ({"result": {}}, "takes no responses", 7),
    ({"error": {"code": 1, "message": "x"}}, "takes no responses", 7),
    ({"params": []}, "'params'", 7),
    ({"params": None}, "'params'", 7),
    ({"params": "x"}, "'params'", 7),
]


def test_a_wrong_member_is_named_and_the_id_kept(case: Case) -> None:
    for change, word, request_id in WRONG_MEMBERS:
        with case(change):
            error = read_invalid(json.dumps({**GOOD, **change}).encode())
            assert (error.code, error.request_id) == (INVALID_REQUEST, request_id)
            assert word in str(error)


@pytest.mark.parametrize("missing", ["jsonrpc", "method"])
def test_a_missing_member_is_named(missing: str) -> None:
    body = {key: value for key, value in GOOD.items() if key != missing}
    assert f"'{missing}'" in str(read_invalid(json.dumps(body).encode()))


def test_a_response_is_rejected_since_no_request_was_sent() -> None:
    error = read_invalid(b'{"jsonrpc": "2.0", "id": 3, "result": {}}')
    assert (error.code, error.request_id) == (INVALID_REQUEST, 3)
    assert "takes no responses" in str(error)


READABLE = [
    GOOD,
    {**GOOD, "id": "seven"},
    {**GOOD, "id": 0},
    {**GOOD, "id": ""},
    {**GOOD, "id": -(2**60)},
    {**GOOD, "params": {}, "more": 1},
    {"jsonrpc": "2.0", "method": "notifications/initialized"},
]


def test_requests_and_notifications_are_read(case: Case) -> None:
    for message in READABLE:
        with case(message):
            assert read_message(json.dumps(message).encode()) == message


@pytest.mark.parametrize(
    ("message", "tool"),
    [
        ({"method": "tools/call", "params": {"name": "list_repos"}}, "list_repos"),
        ({"method": "tools/call", "params": {"name": 5}}, None),
        ({"method": "tools/call"}, None),
        ({"method": "tools/list", "params": {"name": "list_repos"}}, None),
    ],
)
def test_the_called_tool_is_named_for_calls_alone(
    message: dict[str, object], tool: str | None
) -> None:
    assert called_tool(message) == tool


@given(st.binary())
def test_any_bytes_that_are_no_message_are_rejected_with_a_message(body: bytes) -> None:
    assert str(read_invalid(body))


def test_all_released_versions_are_served() -> None:
    assert protocol.OLDER_VERSIONS == HANDSHAKE_PROTOCOL_VERSIONS
    assert protocol.NEWER_VERSIONS == MODERN_PROTOCOL_VERSIONS
    assert protocol.ASSUMED_VERSION == mcp_types.DEFAULT_NEGOTIATED_VERSION


def test_codes_and_members_are_those_of_the_library() -> None:
    for name in ("PARSE_ERROR", "INVALID_REQUEST", "METHOD_NOT_FOUND", "INVALID_PARAMS"):
        assert getattr(protocol, name) == getattr(jsonrpc, name)
    assert protocol.INTERNAL_ERROR == jsonrpc.INTERNAL_ERROR
    assert protocol.HEADER_MISMATCH == jsonrpc.HEADER_MISMATCH
    assert protocol.UNSUPPORTED_VERSION == jsonrpc.UNSUPPORTED_PROTOCOL_VERSION
    assert protocol.VERSION_MEMBER == mcp_types.PROTOCOL_VERSION_META_KEY
    assert protocol.CAPABILITIES_MEMBER == mcp_types.CLIENT_CAPABILITIES_META_KEY
    assert protocol.CLIENT_MEMBER == mcp_types.CLIENT_INFO_META_KEY
    assert protocol.SERVER_MEMBER == mcp_types.SERVER_INFO_META_KEY


def test_every_method_is_served_in_the_versions_that_have_it() -> None:
    for name, method in METHODS.items():
        assert {(name, version) for version in method.versions} == {
            pair for pair in CLIENT_REQUESTS if pair[0] == name
        }
