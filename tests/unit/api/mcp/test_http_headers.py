"""The headers of requests and responses: protocol versions, media types, origins, credentials."""

from typing import Any

import pytest

from tests.support.case import Case
from visual_review.api.mcp.endpoint import (
    allowed_hosts,
    allowed_origins,
    build_challenge,
    is_json,
    takes_json,
)
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


JSON_TYPES = [
    "application/json",
    "Application/JSON",
    "application/json; charset=utf-8",
    'application/json ;Charset="UTF-8"',
    "application/json;",
    "application/json; profile=x",
]


def test_json_in_utf_8_is_taken(case: Case) -> None:
    for kind in JSON_TYPES:
        with case(kind):
            assert is_json(kind)


OTHER_TYPES = [
    "",
    "text/plain",
    "application/jsonx",
    "application/json, application/json",
    "application/json; charset=latin-1",
    "application/json; charset=",
    "application/x-www-form-urlencoded",
    "multipart/form-data; boundary=application/json",
]


def test_everything_else_is_not(case: Case) -> None:
    for kind in OTHER_TYPES:
        with case(repr(kind)):
            assert not is_json(kind)


ACCEPTING = [
    "",
    "*/*",
    "application/*",
    "application/json",
    "application/json, text/event-stream",
    "text/html, APPLICATION/JSON;q=0.1",
    "text/event-stream;q=1, */*;q=0.001",
]


def test_who_names_json_or_anything_takes_json(case: Case) -> None:
    for accept in ACCEPTING:
        with case(repr(accept)):
            assert takes_json(accept)


def test_who_names_other_types_alone_does_not(case: Case) -> None:
    for accept in (
        "text/event-stream",
        "text/*",
        "application/json;q=0",
        "application/json; q=0.000",
        "json",
    ):
        with case(accept):
            assert not takes_json(accept)


PUBLIC_HOSTS = [
    ("https://reviews.example.com", {"reviews.example.com", "reviews.example.com:443"}),
    ("http://reviews.example.com", {"reviews.example.com", "reviews.example.com:80"}),
    ("https://Reviews.Example.com:443", {"reviews.example.com", "reviews.example.com:443"}),
    ("https://reviews.example.com:8443", {"reviews.example.com:8443"}),
    ("https://[2001:DB8::1]", {"[2001:db8::1]", "[2001:db8::1]:443"}),
    ("https://10.0.0.7:8000", {"10.0.0.7:8000"}),
]


def test_the_public_name_alone_means_the_service(case: Case) -> None:
    for public_url, hosts in PUBLIC_HOSTS:
        with case(public_url):
            assert allowed_hosts(public_url) == hosts


@pytest.mark.parametrize("name", ["localhost", "127.0.0.1", "[::1]"])
def test_a_service_on_this_machine_has_all_names_of_the_machine(name: str) -> None:
    assert allowed_hosts(f"http://{name}:8000") == {
        "localhost:8000",
        "127.0.0.1:8000",
        "[::1]:8000",
    }


def test_without_a_port_the_default_of_the_scheme_applies() -> None:
    assert allowed_hosts("http://localhost") >= {"localhost", "localhost:80", "[::1]:80"}


def test_an_origin_has_the_scheme_of_the_public_url() -> None:
    assert allowed_origins("https://reviews.example.com") == {
        "https://reviews.example.com",
        "https://reviews.example.com:443",
    }


URL = "https://reviews.example.com"
METADATA = f'resource_metadata="{URL}/.well-known/oauth-protected-resource/api/mcp"'


def test_a_first_challenge_names_scope_and_metadata_and_no_error() -> None:
    assert build_challenge(URL) == f'Bearer realm="Visual Review", scope="read write", {METADATA}'


def test_a_challenge_for_more_names_what_lacked() -> None:
    value = build_challenge(URL, "insufficient_scope", "The app may only read.")
    assert 'error="insufficient_scope"' in value
    assert 'error_description="The app may only read."' in value
    assert value.endswith(METADATA)
