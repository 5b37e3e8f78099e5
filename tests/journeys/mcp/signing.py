"""Clients that sign in, each a program that is led step by step, and the person beside it."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from threading import Timer
from typing import Any, Final, Literal

from playwright.sync_api import Page
from scripts.conformance_sign_in import end_group
from scripts.setup_node import MCP_CLIENTS
from scripts.setup_steps import ROOT

from tests.journeys.mcp.clients import BRIDGE, CLIENT_SECONDS, node


def _programs() -> dict[str, list[str]]:
    return {
        "signing-python": [sys.executable, "-m", "tests.journeys.mcp.signing_client"],
        "signing-typescript-1": [str(node() / "node"), str(MCP_CLIENTS.folder / "signing1.mjs")],
        "signing-typescript-2": [str(node() / "node"), str(MCP_CLIENTS.folder / "signing2.mjs")],
    }


CALLBACK: Final = re.compile(r"http://(127\.0\.0\.1|localhost):\d+/(oauth/)?callback\?")
Access = Literal["read", "changes"]
SIGNING: Final = ("signing-python", "signing-typescript-1", "signing-typescript-2")


@dataclass
class SigningClient:
    """A running client."""

    process: subprocess.Popen[str]

    def do(self, command: str, **values: object) -> dict[str, Any]:
        """Tell it what to do; its first answer may be that somebody has to open an address."""
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps({"do": command, **values}) + "\n")
        self.process.stdin.flush()
        return self.next()

    def next(self) -> dict[str, Any]:
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        assert line, self.process.stderr and self.process.stderr.read()
        event: dict[str, Any] = json.loads(line)
        return event

    def told(self, command: str, **values: object) -> Any:  # noqa: ANN401 - JSON.
        """What came of a command for which nobody has to be asked."""
        event = self.do(command, **values)
        assert "told" in event, event
        return event["told"]

    def call(self, tool: str, **arguments: object) -> dict[str, Any]:
        result: dict[str, Any] = self.told("call", tool=tool, arguments=arguments)
        return result


@contextmanager
def signing_client(name: str, address: str, document: str | None = None) -> Iterator[SigningClient]:
    errand = {"client": name, "address": address, "document": document}
    environment = {**os.environ, "ERRAND": json.dumps(errand)}
    with _started(_programs()[name], environment) as process:
        yield SigningClient(process)


@contextmanager
def bridge(address: str, home: Path) -> Iterator["Bridge"]:
    """``mcp-remote`` without a key: it signs in before it passes anything on."""
    command = [str(node() / "node"), str(MCP_CLIENTS.installed / BRIDGE), address]
    # It would open a browser of its own if it found one.
    with _started(command, {"PATH": str(home), "HOME": str(home)}) as process:
        yield Bridge(process)


@contextmanager
def _started(
    command: Sequence[str], environment: Mapping[str, str]
) -> Iterator[subprocess.Popen[str]]:
    with subprocess.Popen(
        command,
        cwd=ROOT,
        env=dict(environment),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as process:
        # A client that waits for nobody must not hold the tests up.
        timer = Timer(CLIENT_SECONDS, end_group, [process])
        timer.start()
        try:
            yield process
        finally:
            timer.cancel()
            end_group(process)


@dataclass
class Bridge:
    """Speaks JSON-RPC in lines, as a client that starts programs would."""

    process: subprocess.Popen[str]

    def send(self, **message: object) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
        self.process.stdin.flush()

    def result(self) -> dict[str, Any]:
        assert self.process.stdout is not None
        answer = json.loads(self.process.stdout.readline())
        assert "result" in answer, answer
        result: dict[str, Any] = answer["result"]
        return result

    def asked(self) -> dict[str, str]:
        """The address that it tells the person to open."""
        for line in self.process.stderr or ():
            if line.startswith("http"):
                return {"open": line.strip()}
        raise AssertionError("It asked nobody to sign in.")


@dataclass
class Person:
    """Somebody at a browser, signed in to the service."""

    page: Page
    address: str

    def read(self, event: Mapping[str, Any]) -> str:
        """Open the page of consent that a client asks for, and read it."""
        assert "open" in event, event
        self.page.goto(event["open"])
        return self.page.locator("main").inner_text()

    def allow(self, access: Access) -> None:
        self.page.locator(f"input[name=access][value={access}]").check()
        self._press("Allow")

    def refuse(self) -> None:
        self._press("Refuse")

    def disconnect(self, name: str) -> None:
        """End the newest connection of a client that calls itself so."""
        self.page.goto(f"{self.address}/account/apps")
        # Earlier ones of the same name stand below.
        self.page.get_by_role("button", name=f"Disconnect {name}", exact=True).first.click()
        self.page.get_by_role("status").filter(has_text="was disconnected").wait_for()

    def _press(self, button: str) -> None:
        self.page.get_by_role("button", name=button).click()
        self.page.wait_for_url(CALLBACK)
