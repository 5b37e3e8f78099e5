"""Clients with a sign-in, each a program controlled step by step, and the person next to it."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from threading import Timer
from typing import Any, Final, Literal

from playwright.sync_api import Page
from scripts.conformance_sign_in import end_group
from scripts.setup_node import MCP_CLIENTS
from scripts.setup_steps import ROOT

from tests.support.mcp.clients import BRIDGE, CLIENT_SECONDS, node


def _programs() -> dict[str, list[str]]:
    return {
        "signing-python": [sys.executable, "-m", "tests.support.mcp.sign_in_client"],
        "signing-typescript-1": _node_program("sign_in_sdk1.mjs"),
        "signing-typescript-2": _node_program("sign_in_sdk2.mjs"),
    }


def _node_program(name: str) -> list[str]:
    return [str(node() / "node"), str(MCP_CLIENTS.folder / name)]


CALLBACK: Final = re.compile(r"http://(127\.0\.0\.1|localhost):\d+/(oauth/)?callback\?")
Access = Literal["read", "changes"]
SIGNING_CLIENTS: Final = ("signing-python", "signing-typescript-1", "signing-typescript-2")


@dataclass
class SigningClient:
    """A running client; after a failure (``failed``) the client may end by itself."""

    process: subprocess.Popen[str]
    failed: bool = False

    def connect(self, document: str | None = None) -> dict[str, Any]:
        """Connect as a client new to the service; the event asks a person to sign in."""
        self.result("start", document=document)
        return self.do("connect")

    def do(self, command: str, **values: object) -> dict[str, Any]:
        """Send a command; the first event may be a request for a person to open a URL."""
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps({"do": command, **values}) + "\n")
        self.process.stdin.flush()
        return self.next()

    def next(self) -> dict[str, Any]:
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        assert line, self.process.stderr and self.process.stderr.read()
        event: dict[str, Any] = json.loads(line)
        self.failed |= "failed" in event
        return event

    def result(self, command: str, **values: object) -> Any:  # noqa: ANN401 - JSON.
        """Return the result of a command without a question to a person."""
        event = self.do(command, **values)
        assert "result" in event, event
        return event["result"]

    def call(self, tool: str, **arguments: object) -> dict[str, Any]:
        result: dict[str, Any] = self.result("call", tool=tool, arguments=arguments)
        return result


@dataclass
class SigningClients:
    """One program for each client, started by the first test that uses the client."""

    endpoint: str
    running: dict[str, SigningClient] = field(default_factory=dict)

    @contextmanager
    def use(self, name: str) -> Iterator[SigningClient]:
        """Lend a client to a test; after a failure the next one gets a new program."""
        client = self.running.pop(name, None) or self._start(name)
        with ExitStack() as stack:
            stack.callback(_end, client.process)
            with _time_limit(client.process):
                yield client
            if not client.failed:
                stack.pop_all()
                self.running[name] = client

    def end(self) -> None:
        for client in self.running.values():
            _end(client.process)

    def _start(self, name: str) -> SigningClient:
        given = {"client": name, "endpoint": self.endpoint}
        environment = {**os.environ, "CLIENT": json.dumps(given)}
        return SigningClient(_start(_programs()[name], environment))


@contextmanager
def bridge(endpoint: str, home: Path) -> Iterator["Bridge"]:
    """``mcp-remote`` without a key: signs in before passing anything on."""
    command = [str(node() / "node"), str(MCP_CLIENTS.installed / BRIDGE), endpoint]
    # With a browser on the path, the bridge would open one.
    process = _start(command, {"PATH": str(home), "HOME": str(home)})
    try:
        with _time_limit(process):
            yield Bridge(process)
    finally:
        _end(process)


def _start(command: Sequence[str], environment: Mapping[str, str]) -> subprocess.Popen[str]:
    return subprocess.Popen(
        command,
        cwd=ROOT,
        env=dict(environment),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def _end(process: subprocess.Popen[str]) -> None:
    end_group(process)
    # The block closes the pipes and waits for the end.
    with process:
        pass


@contextmanager
def _time_limit(process: subprocess.Popen[str]) -> Iterator[None]:
    """End a client that waits too long, so that its test fails instead of blocking."""
    timer = Timer(CLIENT_SECONDS, end_group, [process])
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


@dataclass
class Bridge:
    """Speaks JSON-RPC in lines, like a client that starts programs."""

    process: subprocess.Popen[str]

    def send(self, **message: object) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
        self.process.stdin.flush()

    def result(self) -> dict[str, Any]:
        assert self.process.stdout is not None
        response = json.loads(self.process.stdout.readline())
        assert "result" in response, response
        result: dict[str, Any] = response["result"]
        return result

    def sign_in_request(self) -> dict[str, str]:
        """Return the URL that the bridge asks the person to open."""
        for line in self.process.stderr or ():
            if line.startswith("http"):
                return {"open": line.strip()}
        raise AssertionError("It asked no one to sign in.")


@dataclass
class Person:
    """Someone at a browser, signed in to the service."""

    page: Page
    url: str

    def read(self, event: Mapping[str, Any]) -> str:
        """Open the consent page requested by a client, and return the page's text."""
        assert "open" in event, event
        self.page.goto(event["open"])
        return self.page.locator("main").inner_text()

    def allow(self, access: Access) -> None:
        self.page.locator(f"input[name=access][value={access}]").check()
        self._press("Allow")

    def deny(self) -> None:
        self._press("Deny")

    def disconnect(self, name: str) -> None:
        """End the newest connection of a client with the given name."""
        self.page.goto(f"{self.url}/account/apps")
        # Earlier ones of the same name stand below.
        self.page.get_by_role("button", name=f"Disconnect {name}", exact=True).first.click()
        self.page.get_by_role("status").filter(has_text="was disconnected").wait_for()

    def _press(self, button: str) -> None:
        self.page.get_by_role("button", name=button).click()
        self.page.wait_for_url(CALLBACK)
