"""The protocol itself, in both eras: envelopes, versions, headers, methods, notifications."""

import json
from itertools import product
from typing import Any

import httpx
import pytest
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS

from tests.support.api_keys import user_key
from tests.support.case import Case
from tests.support.mcp.endpoint import ERAS, NAMES, Endpoint, Era, headers_of, params_of
from tests.support.personas import Personas
from visual_review.api.mcp.instructions import INSTRUCTIONS
from visual_review.audit.models import AuditEntry
from visual_review.repositories.models import Repository

OLD: Era = "2025-11-25"
NEW: Era = "2026-07-28"
META = "io.modelcontextprotocol"
PARSE_ERROR, INVALID_REQUEST, NOT_FOUND, INVALID_PARAMS = -32700, -32600, -32601, -32602
MISMATCH, UNSUPPORTED = -32020, -32022
INFO = {"protocolVersion": OLD, "capabilities": {}, "clientInfo": {"name": "x", "version": "1"}}
Message = dict[str, Any]


@pytest.fixture
def key(personas: Personas) -> str:
    return user_key(personas.alice)


def request(method: str, era: Era, **params: object) -> Message:
    return {"jsonrpc": "2.0", "id": 1, "method": method, "params": params_of(params, era)}


def post(
    endpoint: Endpoint,
    key: str,
    message: object,
    era: Era,
    **headers: str | None,
) -> httpx.Response:
    """A message of any form, with the headers of a good one; None leaves a header out."""
    known = message if isinstance(message, dict) else {}
    method, params = known.get("method"), known.get("params")
    name = params.get(NAMES.get(str(method), "")) if isinstance(params, dict) else None
    spoken = method if isinstance(method, str) else "ping"
    wanted: dict[str, str | None] = {**headers_of(key, spoken, {"name": "", "uri": ""}, era)}
    if isinstance(name, str) and era == NEW:
        wanted["Mcp-Name"] = name
    wanted |= {header.replace("_", "-"): value for header, value in headers.items()}
    sent = {header: value for header, value in wanted.items() if value is not None}
    return endpoint.send(
        message if isinstance(message, bytes) else json.dumps(message).encode(), sent
    )


def error(answer: httpx.Response) -> tuple[int, str]:
    """Code and words of an error; nothing of the inside may stand in it."""
    document = answer.json()
    assert answer.headers["content-type"] == "application/json"
    assert document.keys() == {"jsonrpc", "id", "error"}
    for inner in ("pydantic", "Traceback", "validation error", "visual_review", "line 1 column"):
        assert inner not in answer.text
    return document["error"]["code"], document["error"]["message"]


def goes_on(endpoint: Endpoint, key: str, era: Era) -> None:
    assert endpoint.call(key, "list_repos", {}, era)["structuredContent"] == {"repos": []}


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


def test_a_body_that_is_no_message_is_refused(case: Case, endpoint: Endpoint, key: str) -> None:
    for (body, code), era in product(UNREADABLE_BODIES, ERAS):
        with case(f"{body[:60]!r}, {era}"):
            answer = post(endpoint, key, body, era)
            assert answer.status_code == 400
            assert error(answer)[0] == code
            assert answer.json()["id"] is None
            goes_on(endpoint, key, era)


WRONG_MEMBERS: tuple[Message, ...] = (
    *({"jsonrpc": value} for value in ("1.0", 2.0, None, ["2.0"])),
    *({"id": value} for value in (None, True, 1.5, {}, [1])),
    *({"method": value} for value in (None, 5, ["tools/list"], {})),
    *({"params": value} for value in (None, [], "x", 5)),
    *({"result": {}}, {"error": {"code": 1, "message": "x"}}),
)


def test_a_wrong_envelope_is_refused(case: Case, endpoint: Endpoint, key: str) -> None:
    for change, era in product(WRONG_MEMBERS, ERAS):
        with case(f"{json.dumps(change)}, {era}"):
            answer = post(endpoint, key, {**request("tools/list", era), **change}, era)
            assert answer.status_code == 400
            assert error(answer)[0] == INVALID_REQUEST
            assert answer.json()["id"] == (None if "id" in change else 1)
            goes_on(endpoint, key, era)


def test_a_posted_answer_is_refused(case: Case, endpoint: Endpoint, key: str) -> None:
    for era in ERAS:
        with case(era):
            for part in ({"result": {}}, {"error": {"code": -32000, "message": "x"}}):
                answer = post(endpoint, key, {"jsonrpc": "2.0", "id": 1, **part}, era)
                assert (answer.status_code, error(answer)[0]) == (400, INVALID_REQUEST)


REQUEST_IDS: tuple[object, ...] = (0, -1, 2**53, "", "a", "\u0000", "ü" * 1000, "1")


def test_an_answer_bears_the_very_id(case: Case, endpoint: Endpoint, key: str) -> None:
    for request_id, era in product(REQUEST_IDS, ERAS):
        with case(f"{request_id!r:.40}, {era}"):
            answer = post(endpoint, key, {**request("tools/list", era), "id": request_id}, era)
            found = answer.json()["id"]
            assert (found, type(found)) == (request_id, type(request_id))


def test_the_handshake_agrees_on_every_older_version(
    case: Case, endpoint: Endpoint, key: str
) -> None:
    for version in HANDSHAKE_PROTOCOL_VERSIONS:
        with case(version):
            # A client knows of no version yet when it begins, so it names none in its headers.
            message = {"jsonrpc": "2.0", "id": 1, "method": "initialize"}
            answer = post(
                endpoint,
                key,
                {**message, "params": {**INFO, "protocolVersion": version}},
                OLD,
                MCP_Protocol_Version=None,
            )
            assert answer.json()["result"]["protocolVersion"] == version
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
            answer = post(endpoint, key, message, OLD, MCP_Protocol_Version=None)
            assert answer.json()["result"]["protocolVersion"] == OLD


def assert_introduces_itself(found: Message) -> None:
    """Only what is there is announced: tools and resources, without news of changes."""
    quiet = {"listChanged": False}
    assert found["capabilities"] == {
        "tools": quiet,
        "resources": {**quiet, "subscribe": False},
    }
    assert found["instructions"] == INSTRUCTIONS


def test_the_handshake_tells_who_answers(endpoint: Endpoint, key: str) -> None:
    answer = post(endpoint, key, request("initialize", OLD, **INFO), OLD)
    result = answer.json()["result"]
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


def test_discovery_tells_who_answers(endpoint: Endpoint, key: str) -> None:
    result = endpoint.result(key, "server/discover", era=NEW)
    assert_introduces_itself(result)
    assert NEW in result["supportedVersions"]
    assert result["_meta"][f"{META}/serverInfo"]["name"] == "visual-review"


FAULTY_HANDSHAKES: tuple[Message, ...] = ({}, {"protocolVersion": OLD}, {**INFO, "clientInfo": "x"})


def test_a_handshake_that_lacks_something_is_refused(
    case: Case, endpoint: Endpoint, key: str
) -> None:
    for params in FAULTY_HANDSHAKES:
        with case(params):
            message = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params}
            assert error(post(endpoint, key, message, OLD))[0] == INVALID_PARAMS
            goes_on(endpoint, key, OLD)


def test_a_ping_is_answered_in_the_era_that_has_it(endpoint: Endpoint, key: str) -> None:
    assert endpoint.result(key, "ping", era=OLD) == {}
    assert error(endpoint.ask(key, "ping", era=NEW))[0] == NOT_FOUND


UNKNOWN_METHODS: tuple[tuple[str, Message], ...] = (
    ("no/such", {}),
    ("", {}),
    ("tools/List", {}),
    ("rpc.discover", {}),
    ("prompts/list", {}),
    ("logging/setLevel", {"level": "info"}),
    ("resources/subscribe", {"uri": "x://y"}),
    ("subscriptions/listen", {"notifications": {"toolsListChanged": True}}),
    ("tasks/list", {}),
)
METHOD_STATUSES: tuple[tuple[Era, int], ...] = ((OLD, 200), (NEW, 404))


def test_what_is_not_offered_is_an_unknown_method(case: Case, endpoint: Endpoint, key: str) -> None:
    for (method, params), (era, status) in product(UNKNOWN_METHODS, METHOD_STATUSES):
        with case(f"{method!r}, {era}"):
            answer = post(endpoint, key, request(method, era, **params), era)
            assert (answer.status_code, error(answer)[0]) == (status, NOT_FOUND)
            goes_on(endpoint, key, era)


UNSERVED_VERSIONS = ("1999-01-01", "2027-01-01", "banana", "2025-11-25x", ",")
METHODS = ("tools/list", "initialize")


def test_a_version_that_is_not_served_is_refused(case: Case, endpoint: Endpoint, key: str) -> None:
    for version, method in product(UNSERVED_VERSIONS, METHODS):
        with case(f"{version!r}, {method}"):
            # Without the newer era's members, as an older client would send it.
            answer = post(
                endpoint, key, request(method, OLD, **INFO), OLD, MCP_Protocol_Version=version
            )
            assert answer.status_code == 400
            assert error(answer)[0] in {INVALID_PARAMS, MISMATCH, UNSUPPORTED}


def test_an_unserved_version_of_the_newer_protocol_is_told_the_served_ones(
    endpoint: Endpoint, key: str
) -> None:
    message = request("tools/list", NEW)
    message["params"]["_meta"][f"{META}/protocolVersion"] = "2027-01-01"
    answer = post(endpoint, key, message, NEW, MCP_Protocol_Version="2027-01-01")
    assert (answer.status_code, error(answer)[0]) == (400, UNSUPPORTED)
    assert answer.json()["error"]["data"] == {"supported": [NEW], "requested": "2027-01-01"}


WRONG_VERSION_HEADERS = (None, *HANDSHAKE_PROTOCOL_VERSIONS, "2027-01-01")


def test_the_newer_protocol_names_its_version_in_the_header_too(
    case: Case, endpoint: Endpoint, key: str
) -> None:
    for header in WRONG_VERSION_HEADERS:
        with case(header):
            answer = post(
                endpoint, key, request("tools/list", NEW), NEW, MCP_Protocol_Version=header
            )
            assert (answer.status_code, error(answer)[0]) == (400, MISMATCH)
            assert answer.json()["id"] == 1
            goes_on(endpoint, key, NEW)


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
            answer = post(endpoint, key, call, NEW, **headers)
            assert (answer.status_code, error(answer)[0]) == (400, MISMATCH)
            assert not Repository.objects.exists()
            # The older era knows no such headers, and wrong ones are nobody's business there.
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
                answer = post(endpoint, key, message, NEW)
                assert (answer.status_code, error(answer)[0]) == (400, INVALID_PARAMS)
            goes_on(endpoint, key, NEW)


NOTIFICATIONS: tuple[tuple[str, Message], ...] = (
    ("notifications/initialized", {}),
    ("notifications/cancelled", {"requestId": 1, "reason": "x"}),
    ("notifications/cancelled", {"requestId": []}),
    ("notifications/progress", {"progressToken": 1, "progress": "much"}),
    ("notifications/no_such", {"a": 1}),
    # A call nobody waits for is no call.
    ("tools/call", {"name": "connect_repo", "arguments": {"fullName": "acme/new"}}),
)


def test_a_notification_is_taken_and_does_nothing(case: Case, endpoint: Endpoint, key: str) -> None:
    for (method, params), era in product(NOTIFICATIONS, ERAS):
        with case(f"{method} {json.dumps(params)}, {era}"):
            message = {"jsonrpc": "2.0", "method": method, "params": params_of(params, era)}
            answer = post(endpoint, key, message, era)
            assert (answer.status_code, answer.content) == (202, b"")
            goes_on(endpoint, key, era)


SESSION_IDS = ("from-elsewhere", "", "x" * 5000, "\x7f \t")


def test_a_session_from_elsewhere_changes_nothing(case: Case, endpoint: Endpoint, key: str) -> None:
    for session, era in product(SESSION_IDS, ERAS):
        with case(f"{session[:20]!r}, {era}"):
            # An id holds no more than a name, so a client that moved over need not begin anew.
            answer = post(endpoint, key, request("tools/list", era), era, Mcp_Session_Id=session)
            assert answer.json()["result"]["tools"]
            assert "mcp-session-id" not in answer.headers


WRONG_CALLS: tuple[Message, ...] = (
    *({"name": "list_repos", "arguments": value} for value in ([], "{}", 5, True, [{}])),
    *({"name": value, "arguments": {}} for value in (5, None, ["list_repos"], {})),
    {"arguments": {}},
    {},
)


def test_a_call_of_a_wrong_form_is_the_clients_fault(
    case: Case, endpoint: Endpoint, key: str
) -> None:
    for params, era in product(WRONG_CALLS, ERAS):
        with case(f"{json.dumps(params)}, {era}"):
            # Its name stands in a header too, which cannot agree with what is no name.
            answer = post(endpoint, key, request("tools/call", era, **params), era)
            assert error(answer)[0] in {INVALID_PARAMS, MISMATCH}
            goes_on(endpoint, key, era)


def test_a_call_without_arguments_is_one_with_none(
    case: Case, endpoint: Endpoint, key: str
) -> None:
    for era in ERAS:
        with case(era):
            for params in ({}, {"arguments": None}, {"arguments": {}}):
                found = endpoint.result(key, "tools/call", {"name": "list_repos", **params}, era)
                assert found["structuredContent"] == {"repos": []}


LISTS = ("tools/list", "resources/list", "resources/templates/list")


def test_a_list_has_one_page(case: Case, endpoint: Endpoint, key: str) -> None:
    for method, era in product(LISTS, ERAS):
        with case(f"{method!r}, {era}"):
            assert "nextCursor" not in endpoint.result(key, method, era=era)
            for cursor in ("made-up", 5, {}):
                answer = endpoint.ask(key, method, {"cursor": cursor}, era)
                assert error(answer)[0] == INVALID_PARAMS
