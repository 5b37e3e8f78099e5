"""The examples people copy: valid for their clients, without a key, the same as in the docs."""

import json
import shlex
import tomllib
from pathlib import Path

import pytest

from tests.support.case import Case
from visual_review.web.mcp_setup import NAME, VARIABLE, Snippet, create_snippets, is_unprotected

HOW_TO = Path(__file__).parents[3] / "docs" / "how-to"
DOCS = (HOW_TO / "connect-mcp-clients.md", HOW_TO / "connect-other-mcp-clients.md")
ENDPOINT = "https://reviews.example.com/api/mcp"
FOUND = create_snippets(ENDPOINT)


def parsed(snippet: Snippet) -> object:
    return json.loads(snippet.code)


@pytest.mark.parametrize("snippet", FOUND.values(), ids=lambda each: each.id)
def test_every_example_contains_the_url_and_no_key(snippet: Snippet) -> None:
    assert ENDPOINT in snippet.code
    assert "vr_" not in snippet.code


@pytest.mark.parametrize("snippet", FOUND.values(), ids=lambda each: each.id)
def test_every_example_is_in_the_docs(snippet: Snippet) -> None:
    text = "".join(page.read_text() for page in DOCS)
    assert snippet.code in text
    assert not snippet.file or f"`{snippet.file}`" in text


def test_each_client_gets_its_own_format() -> None:
    key = f"Bearer ${{{VARIABLE}}}"
    assert parsed(FOUND["claude_code_key"]) == {
        "mcpServers": {
            NAME: {"type": "http", "url": ENDPOINT, "headers": {"Authorization": key}},
        }
    }
    assert parsed(FOUND["cursor"]) == {"mcpServers": {NAME: {"url": ENDPOINT}}}
    assert parsed(FOUND["vscode"]) == {"servers": {NAME: {"type": "http", "url": ENDPOINT}}}
    assert parsed(FOUND["gemini_key"]) == {
        "mcpServers": {NAME: {"httpUrl": ENDPOINT, "headers": {"Authorization": key}}}
    }
    assert tomllib.loads(FOUND["codex_key"].code) == {
        "mcp_servers": {NAME: {"url": ENDPOINT, "bearer_token_env_var": VARIABLE}}
    }


def test_editors_get_their_own_syntax_for_the_variable() -> None:
    assert f"Bearer ${{env:{VARIABLE}}}" in FOUND["cursor_key"].code
    found = json.loads(FOUND["vscode_key"].code)
    prompt = found["inputs"][0]
    assert prompt["password"] is True
    header = found["servers"][NAME]["headers"]["Authorization"]
    assert header == f"Bearer ${{input:{prompt['id']}}}"


@pytest.mark.parametrize("name", ["claude_code", "codex", "gemini", "other_key"])
def test_commands_are_valid_for_a_shell(name: str) -> None:
    for line in FOUND[name].code.replace("\\\n", " ").splitlines():
        assert shlex.split(line)[0] in {"claude", "codex", "gemini", "curl"}


def test_the_bridge_allows_http_only_where_needed() -> None:
    assert "--allow-http" not in FOUND["bridge"].code
    assert "--allow-http" not in create_snippets("http://localhost:8000/api/mcp")["bridge"].code
    assert "--allow-http" in create_snippets("http://reviews.lan/api/mcp")["bridge_key"].code


ENDPOINTS = [
    ("https://reviews.example.com/api/mcp", False),
    ("http://localhost:8000/api/mcp", False),
    ("http://127.0.0.1:8000/api/mcp", False),
    ("http://[::1]:8000/api/mcp", False),
    ("http://reviews.lan/api/mcp", True),
]


def test_plain_http_is_unprotected_except_on_this_machine(case: Case) -> None:
    for endpoint, unprotected in ENDPOINTS:
        with case(endpoint):
            assert is_unprotected(endpoint) == unprotected
