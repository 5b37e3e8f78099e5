"""Which version a message follows, by its headers and members."""

from typing import Any

import pytest

from tests.support.case import Case
from visual_review.api.mcp.protocol import (
    ASSUMED_VERSION,
    CAPABILITIES_MEMBER,
    CLIENT_MEMBER,
    HEADER_MISMATCH,
    INVALID_PARAMS,
    NEWER_VERSIONS,
    OLDER_VERSIONS,
    UNSUPPORTED_VERSION,
    VERSION_MEMBER,
    ProtocolError,
)
from visual_review.api.mcp.versions import version_of

(NEWER,) = NEWER_VERSIONS
META = {VERSION_MEMBER: NEWER, CAPABILITIES_MEMBER: {}}
HEADERS = {"mcp-protocol-version": NEWER, "mcp-method": "tools/call", "mcp-name": "list_repos"}
URI = "visual-review://ü"
ENCODED_URI = "=?base64?dmlzdWFsLXJldmlldzovL8O8?="


def call(meta: object = META, **params: object) -> dict[str, Any]:
    named = {"name": "list_repos", "_meta": meta, **params}
    return {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": named}


def read() -> dict[str, Any]:
    return {"id": 1, "method": "resources/read", "params": {"uri": URI, "_meta": META}}


def error_of(message: dict[str, Any], headers: dict[str, str]) -> ProtocolError:
    with pytest.raises(ProtocolError) as caught:
        version_of(message, headers)
    return caught.value


def test_the_header_names_the_version() -> None:
    plain = {"id": 1, "method": "ping"}
    assert version_of(plain, {}) == ASSUMED_VERSION
    assert version_of(plain, {"mcp-protocol-version": ""}) == ASSUMED_VERSION
    for version in OLDER_VERSIONS:
        assert version_of(plain, {"mcp-protocol-version": version}) == version
    assert version_of(call(), HEADERS) == NEWER


def test_a_newer_message_needs_its_header_except_for_a_handshake() -> None:
    for header in ("", *OLDER_VERSIONS):
        assert error_of(call(), {"mcp-protocol-version": header}).code == HEADER_MISMATCH
    handshake = {**call(), "method": "initialize"}
    assert version_of(handshake, {}) == ASSUMED_VERSION


def test_a_repeated_header_does_not_agree(case: Case) -> None:
    # Readers of the first and of the last one would disagree.
    for name, value in HEADERS.items():
        with case(name):
            error = error_of(call(), {**HEADERS, name: f"{value}, {value}"})
            assert error.code == HEADER_MISMATCH


MISSING_MEMBERS: tuple[object, ...] = (None, [], {}, {VERSION_MEMBER: NEWER})


def test_a_newer_message_names_version_and_capabilities(case: Case) -> None:
    for meta in (*MISSING_MEMBERS, {**META, CAPABILITIES_MEMBER: 5}, {**META, CLIENT_MEMBER: {}}):
        with case(meta):
            assert error_of(call(meta), HEADERS).code == INVALID_PARAMS
    for client in (None, {"name": "x", "version": "1"}):
        assert version_of(call({**META, CLIENT_MEMBER: client}), HEADERS) == NEWER


def test_a_name_that_http_would_change_is_encoded(case: Case) -> None:
    headers = {**HEADERS, "mcp-method": "resources/read"}
    assert version_of(read(), {**headers, "mcp-name": ENCODED_URI}) == NEWER
    for name in ("=?base64?!!?=", "=?base64?/w==?=", "=?base64?dmlzdWFs?=", ENCODED_URI[:-3], ""):
        with case(name):
            assert error_of(read(), {**headers, "mcp-name": name}).code == HEADER_MISMATCH


def test_the_base64_of_a_name_has_one_spelling() -> None:
    message = {"id": 1, "method": "tools/call", "params": {"name": "a", "_meta": META}}
    assert version_of(message, {**HEADERS, "mcp-name": "=?base64?YQ==?="}) == NEWER
    error = error_of(message, {**HEADERS, "mcp-name": "=?base64?YR==?="})
    assert error.code == HEADER_MISMATCH


def test_an_unsupported_version_is_named_with_the_supported_ones() -> None:
    message = call({**META, VERSION_MEMBER: "2027-01-01"})
    error = error_of(message, {**HEADERS, "mcp-protocol-version": "2027-01-01"})
    assert error.code == UNSUPPORTED_VERSION
    assert error.data == {"supported": NEWER_VERSIONS, "requested": "2027-01-01"}


def test_notifications_need_only_a_supported_version() -> None:
    message = {"method": "notifications/cancelled"}
    assert version_of(message, {"mcp-protocol-version": NEWER}) == NEWER
    assert error_of(message, {"mcp-protocol-version": "x"}).code == UNSUPPORTED_VERSION
