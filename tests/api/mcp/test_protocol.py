"""The protocol itself, in both versions: envelopes, versions, headers, methods, notifications."""

import json
from itertools import product
from typing import Any

import httpx
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS

from tests.support.case import Case
from tests.support.mcp.endpoint import (
    NAMES,
    PROTOCOL_VERSIONS,
    Endpoint,
    ProtocolVersion,
    headers_of,
    params_of,
)
from visual_review.api.mcp.server import INSTRUCTIONS
from visual_review.audit.models import AuditEntry
from visual_review.repositories.models import Repository

OLD: ProtocolVersion = "2025-11-25"
NEW: ProtocolVersion = "2026-07-28"
META = "io.modelcontextprotocol"
PARSE_ERROR, INVALID_REQUEST, NOT_FOUND, INVALID_PARAMS = -32700, -32600, -32601, -32602
MISMATCH, UNSUPPORTED = -32020, -32022
INFO = {"protocolVersion": OLD, "capabilities": {}, "clientInfo": {"name": "x", "version": "1"}}
Message = dict[str, Any]


def request(method: str, version: ProtocolVersion, **params: object) -> Message:
    return {"jsonrpc": "2.0", "id": 1, "method": method, "params": params_of(params, version)}


def post(
    endpoint: Endpoint,
    key: str,
    message: object,
    version: ProtocolVersion,
    **headers: str | None,
) -> httpx.Response:
    """A message of any form, with the headers of a good one; None leaves a header out."""
    known = message if isinstance(message, dict) else {}
    method, params = known.get("method"), known.get("params")
    name = params.get(NAMES.get(str(method), "")) if isinstance(params, dict) else None
    spoken = method if isinstance(method, str) else "ping"
    wanted: dict[str, str | None] = {**headers_of(key, spoken, {"name": "", "uri": ""}, version)}
    if isinstance(name, str) and version == NEW:
        wanted["Mcp-Name"] = name
    wanted |= {header.replace("_", "-"): value for header, value in headers.items()}
    sent = {header: value for header, value in wanted.items() if value is not None}
    return endpoint.send(
        message if isinstance(message, bytes) else json.dumps(message).encode(), sent
    )


def error(response: httpx.Response) -> tuple[int, str]:
    """Return code and message of an error; an error must not contain internals."""
    document = response.json()
    assert response.headers["content-type"] == "application/json"
    assert document.keys() == {"jsonrpc", "id", "error"}
    for inner in ("pydantic", "Traceback", "validation error", "visual_review", "line 1 column"):
        assert inner not in response.text
    return document["error"]["code"], document["error"]["message"]


def assert_still_works(endpoint: Endpoint, key: str, version: ProtocolVersion) -> None:
    assert endpoint.call(key, "list_repos", {}, version)["structuredContent"] == {
        "repos": [],
        "more": False,
    }


UNREADABLE_BODIES = (
    (b"", PARSE_ERROR),
    (b"nonsense", PARSE_ERROR),
    (b'{"jsonrpc": "2.0", "id": 1, "method": "tools/list"', PARSE_ERROR),
    (b'{"jsonrpc": "2.0", "id": 1, "id": 2, "method": "tools/list"}', PARSE_ERROR),
    (b'{"jsonrpc": "2.0", "id": NaN, "method": "tools/list"}', PARSE_ERROR),
    (b'{"jsonrpc": "2.0", "id": "\\ud800", "method": "tools/list"}', PARSE_ERROR),
    (b'{"jsonrpc": "2.0", "id": 1, "method": "\\ud800"}', PARSE_ERROR),
    (b"[" * 100_000, PARSE_ERROR),
    (b'{"a":' * 100_000 + b"1" + b"}" * 100_000, PARSE_ERROR),
    (
        b'{"jsonrpc": "2.0", "id": 1, "method": "x", "params": {"a": %b}}'
        % (b"[" * 250 + b"]" * 250),
        PARSE_ERROR,
    ),
    (b"null", INVALID_REQUEST),
    (b"[]", INVALID_REQUEST),
    (b'[{"jsonrpc": "2.0", "id": 1, "method": "tools/list"}]', INVALID_REQUEST),
)


def test_a_body_that_is_not_a_message_is_rejected(case: Case, endpoint: Endpoint, key: str) -> None:
    for (body, code), version in product(UNREADABLE_BODIES, PROTOCOL_VERSIONS):
        with case(f"{body[:60]!r}, {version}"):
            response = post(endpoint, key, body, version)
            assert response.status_code == 400
            assert error(response)[0] == code
            assert response.json()["id"] is None
            assert_still_works(endpoint, key, version)


WRONG_MEMBERS: tuple[Message, ...] = (
    *({"jsonrpc": value} for value in ("1.0", 2.0, None, ["2.0"])),
    *({"id": value} for value in (None, True, 1.5, {}, [1])),
    *({"method": value} for value in (None, 5, ["tools/list"], {})),
    *({"params": value} for value in (None, [], "x", 5)),
    *({"result": {}}, {"error": {"code": 1, "message": "x"}}),
)


def test_a_wrong_envelope_is_rejected(case: Case, endpoint: Endpoint, key: str) -> None:
    for change, version in product(WRONG_MEMBERS, PROTOCOL_VERSIONS):
        with case(f"{json.dumps(change)}, {version}"):
            response = post(endpoint, key, {**request("tools/list", version), **change}, version)
            assert response.status_code == 400
            assert error(response)[0] == INVALID_REQUEST
            assert response.json()["id"] == (None if "id" in change else 1)
            assert_still_works(endpoint, key, version)


def test_a_posted_response_is_rejected(case: Case, endpoint: Endpoint, key: str) -> None:
    for version in PROTOCOL_VERSIONS:
        with case(version):
            for part in ({"result": {}}, {"error": {"code": -32000, "message": "x"}}):
                response = post(endpoint, key, {"jsonrpc": "2.0", "id": 1, **part}, version)
                assert (response.status_code, error(response)[0]) == (400, INVALID_REQUEST)


REQUEST_IDS: tuple[object, ...] = (0, -1, 2**53, "", "a", "\u0000", "ü" * 1000, "1")


def test_a_response_has_the_id_of_its_request(case: Case, endpoint: Endpoint, key: str) -> None:
    for request_id, version in product(REQUEST_IDS, PROTOCOL_VERSIONS):
        with case(f"{request_id!r:.40}, {version}"):
            response = post(
                endpoint, key, {**request("tools/list", version), "id": request_id}, version
            )
            found = response.json()["id"]
            assert (found, type(found)) == (request_id, type(request_id))


def test_the_handshake_agrees_on_every_older_version(
    case: Case, endpoint: Endpoint, key: str
) -> None:
    for version in HANDSHAKE_PROTOCOL_VERSIONS:
        with case(version):
            # A beginning client knows of no version yet, so it names none in the headers.
            message = {"jsonrpc": "2.0", "id": 1, "method": "initialize"}
            response = post(
                endpoint,
                key,
                {**message, "params": {**INFO, "protocolVersion": version}},
                OLD,
                MCP_Protocol_Version=None,
            )
            assert response.json()["result"]["protocolVersion"] == version
            tools = post(
                endpoint, key, request("tools/list", OLD), OLD, MCP_Protocol_Version=version
            )
            assert tools.json()["result"]["tools"]


UNKNOWN_VERSIONS = ("1999-01-01", "2027-01-01", NEW, "", "latest")


def test_the_handshake_offers_the_newest_for_a_version_it_does_not_have(
    case: Case, endpoint: Endpoint, key: str
) -> None:
    for version in UNKNOWN_VERSIONS:
        with case(version):
            message = request("initialize", OLD, **{**INFO, "protocolVersion": version})
            response = post(endpoint, key, message, OLD, MCP_Protocol_Version=None)
            assert response.json()["result"]["protocolVersion"] == OLD


def assert_introduces_itself(found: Message) -> None:
    """Only what exists is announced: tools, resources and prompts, without change notifications."""
    quiet = {"listChanged": False}
    assert found["capabilities"] == {
        "tools": quiet,
        "resources": {**quiet, "subscribe": False},
        "prompts": quiet,
    }
    assert found["instructions"] == INSTRUCTIONS


def test_the_handshake_describes_the_server(endpoint: Endpoint, key: str) -> None:
    response = post(endpoint, key, request("initialize", OLD, **INFO), OLD)
    result = response.json()["result"]
    assert_introduces_itself(result)
    assert result["serverInfo"]["name"] == "visual-review"
    assert result["serverInfo"]["title"] == "Visual Review"
    assert result["serverInfo"]["version"]


def test_a_decision_is_signed_with_the_name_from_the_handshake(
    endpoint: Endpoint, key: str
) -> None:
    begun = post(endpoint, key, request("initialize", OLD, **INFO), OLD)
    session = begun.headers["mcp-session-id"]
    arguments = {"fullName": "acme/new"}
    call = request("tools/call", OLD, name="connect_repo", arguments=arguments)
    post(endpoint, key, call, OLD, Mcp_Session_Id=session, User_Agent="node")
    entry = AuditEntry.objects.get(verb="repository.connected")
    assert entry.client == INFO["clientInfo"]["name"]


def test_discovery_describes_the_server(endpoint: Endpoint, key: str) -> None:
    result = endpoint.result(key, "server/discover", version=NEW)
    assert_introduces_itself(result)
    assert NEW in result["supportedVersions"]
    assert result["_meta"][f"{META}/serverInfo"]["name"] == "visual-review"


FAULTY_HANDSHAKES: tuple[Message, ...] = ({}, {"protocolVersion": OLD}, {**INFO, "clientInfo": "x"})


def test_an_incomplete_handshake_is_rejected(case: Case, endpoint: Endpoint, key: str) -> None:
    for params in FAULTY_HANDSHAKES:
        with case(params):
            message = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params}
            assert error(post(endpoint, key, message, OLD))[0] == INVALID_PARAMS
            assert_still_works(endpoint, key, OLD)


def test_a_ping_works_in_the_protocol_version_that_has_it(endpoint: Endpoint, key: str) -> None:
    assert endpoint.result(key, "ping", version=OLD) == {}
    assert error(endpoint.ask(key, "ping", version=NEW))[0] == NOT_FOUND


UNKNOWN_METHODS: tuple[tuple[str, Message], ...] = (
    ("no/such", {}),
    ("", {}),
    ("tools/List", {}),
    ("rpc.discover", {}),
    ("prompts/List", {}),
    ("logging/setLevel", {"level": "info"}),
    ("resources/subscribe", {"uri": "x://y"}),
    ("subscriptions/listen", {"notifications": {"toolsListChanged": True}}),
    ("tasks/list", {}),
)
METHOD_STATUSES: tuple[tuple[ProtocolVersion, int], ...] = ((OLD, 200), (NEW, 404))


def test_what_is_not_offered_is_an_unknown_method(case: Case, endpoint: Endpoint, key: str) -> None:
    for (method, params), (version, status) in product(UNKNOWN_METHODS, METHOD_STATUSES):
        with case(f"{method!r}, {version}"):
            response = post(endpoint, key, request(method, version, **params), version)
            assert (response.status_code, error(response)[0]) == (status, NOT_FOUND)
            assert_still_works(endpoint, key, version)


UNSERVED_VERSIONS = ("1999-01-01", "2027-01-01", "banana", "2025-11-25x", ",")
METHODS = ("tools/list", "initialize")


def test_an_unsupported_version_is_rejected(case: Case, endpoint: Endpoint, key: str) -> None:
    for version, method in product(UNSERVED_VERSIONS, METHODS):
        with case(f"{version!r}, {method}"):
            # Without the newer version's members, like an older client.
            response = post(
                endpoint, key, request(method, OLD, **INFO), OLD, MCP_Protocol_Version=version
            )
            assert response.status_code == 400
            assert error(response)[0] in {INVALID_PARAMS, MISMATCH, UNSUPPORTED}


def test_an_unsupported_newer_version_gets_the_supported_ones(endpoint: Endpoint, key: str) -> None:
    message = request("tools/list", NEW)
    message["params"]["_meta"][f"{META}/protocolVersion"] = "2027-01-01"
    response = post(endpoint, key, message, NEW, MCP_Protocol_Version="2027-01-01")
    assert (response.status_code, error(response)[0]) == (400, UNSUPPORTED)
    assert response.json()["error"]["data"] == {"supported": [NEW], "requested": "2027-01-01"}


WRONG_VERSION_HEADERS = (None, *HANDSHAKE_PROTOCOL_VERSIONS, "2027-01-01")


def test_the_newer_protocol_names_its_version_in_the_header_too(
    case: Case, endpoint: Endpoint, key: str
) -> None:
    for header in WRONG_VERSION_HEADERS:
        with case(header):
            response = post(
                endpoint, key, request("tools/list", NEW), NEW, MCP_Protocol_Version=header
            )
            assert (response.status_code, error(response)[0]) == (400, MISMATCH)
            assert response.json()["id"] == 1
            assert_still_works(endpoint, key, NEW)


WRONG_HEADERS: tuple[dict[str, str | None], ...] = (
    {"Mcp-Method": None},
    {"Mcp-Method": "tools/list"},
    {"Mcp-Method": "TOOLS/CALL"},
    {"Mcp-Name": None},
    {"Mcp-Name": "list_builds"},
    {"Mcp-Name": "=?base64?!!?="},
)


def test_the_newer_protocol_names_method_and_tool_in_headers(
    case: Case, endpoint: Endpoint, key: str
) -> None:
    for headers in WRONG_HEADERS:
        with case(headers):
            call = request(
                "tools/call", NEW, name="connect_repo", arguments={"fullName": "acme/new"}
            )
            response = post(endpoint, key, call, NEW, **headers)
            assert (response.status_code, error(response)[0]) == (400, MISMATCH)
            assert not Repository.objects.exists()
            # The older version has no such headers, so wrong ones are ignored.
            assert (
                post(endpoint, key, request("tools/list", OLD), OLD, **headers).status_code == 200
            )


FAULTY_META: tuple[object, ...] = (
    None,
    [],
    "x",
    {},
    {f"{META}/protocolVersion": NEW},
    {f"{META}/clientCapabilities": {}},
    {f"{META}/protocolVersion": NEW, f"{META}/clientCapabilities": None},
    {f"{META}/protocolVersion": NEW, f"{META}/clientCapabilities": {}, f"{META}/clientInfo": 5},
)


def test_the_newer_protocol_demands_its_members(case: Case, endpoint: Endpoint, key: str) -> None:
    for meta in FAULTY_META:
        with case(meta):
            for params in ({"_meta": meta}, {}):
                message = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": params}
                response = post(endpoint, key, message, NEW)
                assert (response.status_code, error(response)[0]) == (400, INVALID_PARAMS)
            assert_still_works(endpoint, key, NEW)


NOTIFICATIONS: tuple[tuple[str, Message], ...] = (
    ("notifications/initialized", {}),
    ("notifications/cancelled", {"requestId": 1, "reason": "x"}),
    ("notifications/cancelled", {"requestId": []}),
    ("notifications/progress", {"progressToken": 1, "progress": "much"}),
    ("notifications/no_such", {"a": 1}),
    # A call without an id is a notification, not a call.
    ("tools/call", {"name": "connect_repo", "arguments": {"fullName": "acme/new"}}),
)


def test_a_notification_is_taken_and_does_nothing(case: Case, endpoint: Endpoint, key: str) -> None:
    for (method, params), version in product(NOTIFICATIONS, PROTOCOL_VERSIONS):
        with case(f"{method} {json.dumps(params)}, {version}"):
            message = {"jsonrpc": "2.0", "method": method, "params": params_of(params, version)}
            response = post(endpoint, key, message, version)
            assert (response.status_code, response.content) == (202, b"")
            assert_still_works(endpoint, key, version)


SESSION_IDS = ("from-elsewhere", "", "x" * 5000, "\x7f \t")


def test_a_session_from_elsewhere_changes_nothing(case: Case, endpoint: Endpoint, key: str) -> None:
    for session, version in product(SESSION_IDS, PROTOCOL_VERSIONS):
        with case(f"{session[:20]!r}, {version}"):
            # An id holds no more than a name, so a client that moved over need not begin anew.
            response = post(
                endpoint, key, request("tools/list", version), version, Mcp_Session_Id=session
            )
            assert response.json()["result"]["tools"]
            assert "mcp-session-id" not in response.headers


WRONG_CALLS: tuple[Message, ...] = (
    *({"name": "list_repos", "arguments": value} for value in ([], "{}", 5, True, [{}])),
    *({"name": value, "arguments": {}} for value in (5, None, ["list_repos"], {})),
    {"arguments": {}},
    {},
)


def test_a_call_of_a_wrong_form_is_the_clients_fault(
    case: Case, endpoint: Endpoint, key: str
) -> None:
    for params, version in product(WRONG_CALLS, PROTOCOL_VERSIONS):
        with case(f"{json.dumps(params)}, {version}"):
            # The name stands in a header too; a header cannot agree with an invalid name.
            response = post(endpoint, key, request("tools/call", version, **params), version)
            assert error(response)[0] in {INVALID_PARAMS, MISMATCH}
            assert_still_works(endpoint, key, version)


def test_a_call_without_arguments_is_one_with_none(
    case: Case, endpoint: Endpoint, key: str
) -> None:
    for version in PROTOCOL_VERSIONS:
        with case(version):
            for params in ({}, {"arguments": None}, {"arguments": {}}):
                found = endpoint.result(
                    key, "tools/call", {"name": "list_repos", **params}, version
                )
                assert found["structuredContent"] == {"repos": [], "more": False}


LISTS = ("tools/list", "resources/list", "resources/templates/list")


def test_a_list_has_one_page(case: Case, endpoint: Endpoint, key: str) -> None:
    for method, version in product(LISTS, PROTOCOL_VERSIONS):
        with case(f"{method!r}, {version}"):
            assert "nextCursor" not in endpoint.result(key, method, version=version)
            for cursor in ("made-up", 5, {}):
                response = endpoint.ask(key, method, {"cursor": cursor}, version)
                assert error(response)[0] == INVALID_PARAMS
