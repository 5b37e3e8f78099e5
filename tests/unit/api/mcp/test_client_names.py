"""A client's own name on pages and in the audit log."""

from hypothesis import given
from hypothesis import strategies as st

from tests.support.case import Case
from visual_review.accounts.oauth.client_rules import NAME_LENGTH
from visual_review.api.mcp.endpoint import (
    LIBRARIES,
    UNKNOWN,
    client_in,
    identify_client,
    session_of,
)
from visual_review.api.user_agents import VERSION_LENGTH, ClientIdentity

KEY = "io.modelcontextprotocol/clientInfo"


def announcing(**info: object) -> dict[str, object]:
    return {"method": "tools/call", "params": {"_meta": {KEY: info}}}


CLIENT_NAMES = [
    ({"name": "claude-code", "version": "2"}, "claude-code"),
    ({"name": "claude-code", "title": "Claude Code"}, "Claude Code"),
    ({"name": "claude-code", "title": ""}, "claude-code"),
    ({"name": "claude-code", "title": "\u202e\x07"}, "claude-code"),
    ({"name": "claude-code", "title": 5}, "claude-code"),
    ({"name": "  two\nlines\t\x1b[31m "}, "two lines [31m"),
    ({"name": "x" * 500}, "x" * (NAME_LENGTH - 1) + "…"),
    ({"name": "claude-code", "title": "\u3164\u115f"}, "claude-code"),
]


def client_of(message: dict[str, object], session: str, user_agent: str) -> str:
    return identify_client(message, ClientIdentity(session), user_agent).name


def test_the_message_names_its_client(case: Case) -> None:
    for info, name in CLIENT_NAMES:
        with case(repr(name)[:40]):
            assert client_of(announcing(**info), "another", "other/1.0") == name


NAMELESS = [
    *(None, [], "text", {}, {"_meta": None}, {"_meta": []}, {"_meta": {KEY: "name"}}),
    *({"_meta": {KEY: {"name": name}}} for name in (None, 5, "", " ", "\n", ["x"])),
]


def test_otherwise_its_requests_do(case: Case) -> None:
    for params in NAMELESS:
        with case(params):
            assert client_of({"params": params}, "", "claude-code/2.0.1 (cli)") == "claude-code"


USER_AGENTS = [
    ("Cursor/1.7", "Cursor"),
    ("Visual Studio Code/1.105 (darwin)", "Visual Studio Code"),
    ("codex_cli_rs/0.4", "codex_cli_rs"),
    ("gemini-cli 0.9 (linux)", "gemini-cli 0.9"),
    ("python-httpx/0.28", UNKNOWN),
    ("Mozilla/5.0 (X11; Linux x86_64)", UNKNOWN),
    ("", UNKNOWN),
    ("(nothing)", UNKNOWN),
    ("\x00evil", UNKNOWN),
    ("x" * 500 + "/1", "x" * NAME_LENGTH),
]


def test_a_user_agent_is_read_up_to_its_version(case: Case) -> None:
    for user_agent, name in USER_AGENTS:
        with case(repr(user_agent)[:40]):
            assert client_of({}, "", user_agent) == name


def test_a_library_is_no_client(case: Case) -> None:
    for library in sorted(LIBRARIES):
        with case(library):
            assert client_of({}, "", f"{library.title()}/1.0") == UNKNOWN


@given(st.text(), st.text())
def test_any_name_is_one_short_line(name: str, user_agent: str) -> None:
    found = client_of(announcing(name=name), "", user_agent)
    assert 0 < len(found) <= NAME_LENGTH
    assert found.isprintable()


def test_the_older_protocol_names_the_client_in_its_handshake() -> None:
    info = {"name": "claude-code", "title": "Claude Code", "version": "2"}
    begun = {"method": "initialize", "params": {"clientInfo": info}}
    assert client_of(begun, "", "node/1.0") == "Claude Code"
    assert client_of({"method": "tools/call"}, "Claude Code", "node/1.0") == "Claude Code"
    # Elsewhere the same words are arguments of a call.
    assert client_of({"method": "tools/call", "params": {"clientInfo": info}}, "", "") == UNKNOWN


@given(st.text(max_size=80), st.text(max_size=20))
def test_a_session_carries_a_client_and_no_other_id_does(name: str, version: str) -> None:
    session = session_of(ClientIdentity(name, version))
    assert client_in(session) == (name, version)
    assert session.isascii()
    assert session.isprintable()
    assert client_in(session[:-1]) == ClientIdentity()
    assert client_in(name) == ClientIdentity()


VERSIONS = [
    ({"name": "claude-code", "version": "2.1"}, "2.1"),
    ({"name": "claude-code", "version": 2}, ""),
    ({"name": "claude-code"}, ""),
    ({"name": "claude-code", "version": "1\u202e\n2"}, "1 2"),
    ({"name": "claude-code", "version": "9" * 500}, "9" * VERSION_LENGTH),
]


def test_the_version_comes_from_where_the_name_does(case: Case) -> None:
    begun = ClientIdentity("another", "7")
    for info, version in VERSIONS:
        with case(repr(info)[:60]):
            found = identify_client(announcing(**info), begun, "other/1.0")
            assert found == ("claude-code", version)
    assert identify_client({}, begun, "other/1.0") == begun
    assert identify_client({}, ClientIdentity(), "Cursor/1.7 (darwin)") == ("Cursor", "1.7")
    # The version of a library says nothing about the client, either.
    assert identify_client({}, ClientIdentity(), "python-httpx/0.28") == (UNKNOWN, "")
