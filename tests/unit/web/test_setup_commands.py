"""The commands shown on pages for setting up CI and MCP clients."""

import json
import re
import shlex
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Final

import pytest
import yaml

from tests.support.case import Case
from visual_review.web.ci_setup import CiSetup, create_ci_setup
from visual_review.web.client_wheel import wheel_name
from visual_review.web.mcp_setup import NAME, VARIABLE, Snippet, create_snippets, is_unprotected
from visual_review.web.node_package import package_name

URL = "https://review.example.org"
CHECKOUT: Final = Path(__file__).parents[3]
USED: Final = re.compile(r"uses: ([\w-]+/[\w/-]+)@(.*)")
COMMIT: Final = re.compile(r"[0-9a-f]{40} # v\d+\.\d+\.\d+")


def setup(url: str = URL, *, branch: str = "main", provider: str = "", token: str = "") -> CiSetup:
    return create_ci_setup(url, "acme/web", branch, provider, token)


def snippets(tool: int = 0, **facts: str) -> Mapping[str, Snippet]:
    return setup(**facts).tools[tool].snippets


def test_the_commands_have_the_url_the_token_and_the_client_of_this_server() -> None:
    found = snippets(token="vr_ci_abc")
    assert found["publish"].code.splitlines()[:2] == [
        f"export VISUAL_REVIEW_URL={URL}",
        "export UI_REVIEW_TOKEN=vr_ci_abc",
    ]
    assert f"'visual-review @ {URL}/client/{wheel_name()}'" in found["install"].code
    assert found["github_secret"].code.endswith("--repo acme/web --body vr_ci_abc")
    assert found["gitlab_secret"].code.endswith("--value vr_ci_abc")


def test_a_token_that_is_not_known_is_no_token() -> None:
    found = snippets()
    assert "UI_REVIEW_TOKEN='paste the project token here'" in found["publish"].code
    # The program asks for the secret.
    assert "--body" not in found["github_secret"].code


def test_the_files_are_yaml_that_runs_the_client_of_this_server(case: Case) -> None:
    for branch in ("main", "release/1.0", "it's: #1", "[x]", "*"):
        with case(branch):
            found = snippets(branch=branch, token="vr_ci_abc")
            workflow = yaml.safe_load(found["github_file"].code)
            # YAML 1.1 reads the key "on" as true.
            assert workflow[True]["push"]["branches"] == [branch]
            steps = workflow["jobs"]["visual-review"]["steps"]
            assert steps[-1]["env"]["VISUAL_REVIEW_URL"] == URL
            commands = [step["run"] for step in steps if "run" in step]
            assert ["pip", "install", f"visual-review @ {URL}/client/{wheel_name()}"] in [
                shlex.split(command) for command in commands
            ]
    job = yaml.safe_load(found["gitlab_file"].code)["visual-review"]
    assert job["variables"] == {"VISUAL_REVIEW_URL": URL}
    assert shlex.split(job["script"][-1])[3] == f"visual-review @ {URL}/client/{wheel_name()}"


def test_each_tool_has_commands_of_its_own(case: Case) -> None:
    names = [tool.name for tool in setup().tools]
    assert names == ["Storybook", "Playwright", "Images of other tools"]
    for tool, expected in enumerate(("storybook-static", "npx playwright test", "screenshots")):
        with case(names[tool]):
            found = snippets(tool)
            assert expected in found["publish"].code.splitlines()[-1]
            steps = yaml.safe_load(found["github_file"].code)["jobs"]["visual-review"]["steps"]
            assert expected in steps[-1]["run"]
            assert (
                expected in yaml.safe_load(found["gitlab_file"].code)["visual-review"]["script"][-1]
            )
    install = snippets(1)["install"].code
    assert install == f"npm install --save-dev {URL}/client/{package_name()}"
    # Every code on the page has an id of its own.
    ids = [each.id for tool in setup().tools for each in tool.snippets.values()]
    assert len(ids) == len(set(ids))


def test_actions_are_named_by_the_commit_that_the_recipes_name(case: Case) -> None:
    files = (CHECKOUT / "action.yml", *sorted((CHECKOUT / "docs" / "how-to").glob("*.md")))
    recipes = "\n".join(file.read_text() for file in files).replace("OWNER/visual-review@", "")
    named = set(USED.findall(recipes))
    printed = USED.findall(snippets()["github_file"].code)
    assert printed
    assert set(printed) <= named
    # One commit for each action, everywhere.
    assert len({action for action, _ in named}) == len(named)
    for action, version in sorted(named):
        with case(action):
            assert COMMIT.fullmatch(version)


def test_no_file_has_the_token() -> None:
    found = snippets(token="vr_ci_abc")
    assert not [each.id for each in found.values() if each.file and "vr_ci_abc" in each.code]


def test_the_first_tab_is_that_of_the_provider(case: Case) -> None:
    for url, provider, expected in (
        (URL, "", "github"),
        (URL, "github", "github"),
        (URL, "gitlab", "gitlab"),
        ("http://localhost:8000", "github", "shell"),
        ("http://127.0.0.1:8000", "gitlab", "shell"),
    ):
        with case(f"{provider} {url}"):
            found = setup(url, provider=provider)
            assert (found.selected, found.is_local) == (expected, expected == "shell")


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
