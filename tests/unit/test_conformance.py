"""The conformance suite's findings against the table, and the proxy in front of the suite."""

from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread

import httpx
import pytest
from scripts.conformance import table_lines
from scripts.conformance_proxy import key_proxy
from scripts.conformance_suite import ConformanceError, read_outcomes
from scripts.conformance_table import TABLE, Check, Outcome, find_failures, read_table

SCENARIOS = read_table("""
applies = ["ping", "caching"]
[excused.caching]
prompts = "offers no prompts"
[does_not_apply]
logging = "sends no logs"
""")
KNOWN = ("ping", "caching", "logging")
PING = Outcome("new", "ping", (Check("ping", "SUCCESS"),))
CACHING = Outcome("new", "caching", (Check("tools", "SUCCESS"), Check("prompts", "FAILURE")))
LOGGING = Outcome("new", "logging", (Check("logging", "FAILURE"),))
WELL = (PING, CACHING, LOGGING)


def test_what_does_not_apply_and_what_is_excused_may_fail() -> None:
    assert find_failures(SCENARIOS, KNOWN, WELL) == []


@pytest.mark.parametrize("status", ["FAILURE", "WARNING"])
def test_a_scenario_that_applies_may_neither_fail_nor_warn(status: str) -> None:
    bad = Outcome("old", "ping", (Check("ping", status, "No answer."), Check("other", "SUCCESS")))
    assert find_failures(SCENARIOS, KNOWN, (*WELL, bad)) == ["ping (old): ping: No answer."]


def test_a_scenario_that_checked_nothing_has_not_passed() -> None:
    empty = Outcome("old", "ping", (Check("wire-schema-valid", "SUCCESS"), Check("ping", "INFO")))
    assert find_failures(SCENARIOS, KNOWN, (*WELL, empty)) == ["ping (old): it checked nothing"]


def test_a_scenario_that_applies_and_was_not_run_is_a_fault() -> None:
    assert find_failures(SCENARIOS, KNOWN, (CACHING,)) == ["ping: it applies and was not run"]


def test_a_scenario_that_only_one_side_knows_is_a_fault() -> None:
    assert find_failures(SCENARIOS, ("ping", "logging", "tasks", "caching"), WELL) == [
        f"tasks: the suite has it and {TABLE.name} does not"
    ]
    assert find_failures(SCENARIOS, ("ping", "caching"), WELL) == [
        f"logging: {TABLE.name} has it and the suite does not"
    ]


def test_an_excuse_that_is_not_needed_any_more_is_a_fault() -> None:
    passed = Outcome("new", "caching", (Check("tools", "SUCCESS"), Check("prompts", "SUCCESS")))
    assert find_failures(SCENARIOS, KNOWN, (PING, passed)) == [
        "caching: prompts: the excuse is no longer needed"
    ]


def test_the_table_shows_runs_failures_excuses_and_reasons() -> None:
    failed = Outcome("old", "ping", (Check("ping", "FAILURE"),))
    assert table_lines(SCENARIOS, (*WELL, failed)) == [
        "Checks that passed  new  old",
        "caching  1    -",
        "  prompts is excused: offers no prompts",
        "ping     1    0, 1 FAILED",
        "",
        "Does not apply",
        "logging  sends no logs",
    ]


def test_findings_are_read_from_the_folders_that_the_suite_writes(tmp_path: Path) -> None:
    folder = tmp_path / "server-sep-2164-not-found-2026-11-21T09-55-01-123Z"
    folder.mkdir()
    (folder / "checks.json").write_text('[{"id": "code", "status": "WARNING"}]')
    assert list(read_outcomes("new", tmp_path)) == [
        Outcome("new", "sep-2164-not-found", (Check("code", "WARNING"),))
    ]
    folder.rename(tmp_path / "something-else")
    with pytest.raises(ConformanceError, match="something-else"):
        list(read_outcomes("new", tmp_path))


class _Echo(BaseHTTPRequestHandler):
    """Responds with the request: method, path, headers of interest and body."""

    def _answer(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", 0))).decode()
        names = ("Host", "Origin", "Authorization", "Mcp-Name")
        words = [self.command, self.path, *(self.headers.get(name, "") for name in names), body]
        content = "\n".join(words).encode()
        self.send_response(404)
        self.send_header("Content-Length", str(len(content)))
        self.send_header("Mcp-Session-Id", "of the server")
        self.end_headers()
        self.wfile.write(content)

    do_POST = do_DELETE = _answer  # noqa: N815 - The library's names.

    def log_message(self, *words: object) -> None:
        pass


@pytest.fixture
def echo_server() -> Iterator[str]:
    with HTTPServer(("127.0.0.1", 0), _Echo) as server:
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
        thread.start()
        yield f"127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


def test_the_proxy_adds_the_key_and_changes_nothing_else(echo_server: str) -> None:
    with key_proxy(f"http://{echo_server}", "secret") as address:
        headers = {"Mcp-Name": "list_repos", "Origin": address}
        answer = httpx.post(f"{address}/api/mcp?a=1", content="{}", headers=headers)
    assert answer.status_code == 404
    assert answer.headers["Mcp-Session-Id"] == "of the server"
    assert answer.text.splitlines() == [
        "POST",
        "/api/mcp?a=1",
        echo_server,
        f"http://{echo_server}",
        "Bearer secret",
        "list_repos",
        "{}",
    ]


def test_the_proxy_hides_no_foreign_host_from_the_server(echo_server: str) -> None:
    with key_proxy(f"http://{echo_server}", "secret") as address:
        headers = {"Host": "evil.example.com", "Origin": "http://evil.example.com"}
        answer = httpx.request("DELETE", address, headers=headers)
    assert answer.text.splitlines()[:4] == [
        "DELETE",
        "/",
        "evil.example.com",
        "http://evil.example.com",
    ]
