"""The suite's scenarios for authorization servers: a browser opens the URL printed by the suite."""

import contextlib
import os
import signal
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Final, Protocol

import httpx
from playwright.sync_api import Page, sync_playwright

from scripts.conformance_suite import STATELESS, SUITE_SECONDS, ConformanceError, read_outcomes
from scripts.conformance_table import Outcome
from scripts.setup_node import node_environment
from scripts.setup_tools import ensure_chromium

MCP_PATH: Final = "/api/mcp"


class SignInTarget(Protocol):
    """A running service; ``key`` is an API key of the person who signs in."""

    @property
    def url(self) -> str: ...
    @property
    def key(self) -> str: ...
    @property
    def email(self) -> str: ...
    @property
    def password(self) -> str: ...


def run_sign_in(
    server: SignInTarget, node: Path, folder: Path, given_page: Page | None = None
) -> list[Outcome]:
    """Run both scenarios, signing in and authorizing the suite; writes into ``folder``."""
    port = _free_port()
    command = STATELESS.command(
        node,
        *("authorization", "--url", server.url, "--resource", f"{server.url}{MCP_PATH}"),
        *("--client-id", _register_client(server, port), "--port", str(port)),
        *("--output-dir", str(folder)),
    )
    opened = browser_page() if given_page is None else contextlib.nullcontext(given_page)
    with opened as page, _running(command, node) as suite:
        url = _read_url(suite)
        sign_in(page, url, server.email, server.password)
        authorize(page)
        page.wait_for_url(f"http://127.0.0.1:{port}/**")
        suite.wait(SUITE_SECONDS)
    return list(read_outcomes(f"sign-in by {STATELESS.version}", folder))


@contextlib.contextmanager
def browser_page() -> Iterator[Page]:
    # Chromium's sandbox does not start for root, and CI machines often run as root.
    flags = ["--no-sandbox"] if os.geteuid() == 0 else []
    with sync_playwright() as tools:
        browser = tools.chromium.launch(executable_path=ensure_chromium(), args=flags)
        try:
            yield browser.new_page()
        finally:
            browser.close()


def sign_in(page: Page, url: str, email: str, password: str) -> None:
    page.goto(url)
    page.get_by_label("E-mail address").fill(email)
    page.get_by_label("Password").fill(password)
    page.get_by_role("button", name="Sign in").click()


def authorize(page: Page) -> None:
    """Authorize the client on the consent page."""
    page.get_by_role("button", name="Allow").click()


def _register_client(server: SignInTarget, port: int) -> str:
    metadata = {
        "client_name": "Conformance suite",
        "redirect_uris": [f"http://127.0.0.1:{port}/callback"],
        "token_endpoint_auth_method": "none",
    }
    response = httpx.post(f"{server.url}/api/oauth/register", json=metadata)
    if response.status_code != httpx.codes.CREATED:
        raise ConformanceError(f"The suite could not be registered: {response.text}")
    return str(response.json()["client_id"])


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextlib.contextmanager
def _running(command: list[str], node: Path) -> Iterator[subprocess.Popen[str]]:
    with subprocess.Popen(
        command,
        env={**os.environ, **node_environment(node)},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    ) as process:
        try:
            yield process
        finally:
            end_group(process)


def end_group(process: subprocess.Popen[str]) -> None:
    """End a program in a session of its own, with its child processes.

    The wheel's node is a script that starts the real program.
    """
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)


def _read_url(suite: subprocess.Popen[str]) -> str:
    """Return the URL that the suite prints before waiting."""
    printed = []
    for line in suite.stdout or ():
        if line.startswith("http"):
            return line.strip()
        printed.append(line)
    raise ConformanceError(f"The suite printed no URL to sign in at:\n{''.join(printed)[-2000:]}")
