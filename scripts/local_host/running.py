"""Runs the local host as a process of its own, and does there what people would."""

import json
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final

import httpx

from scripts.demo_folder import DemoError
from scripts.setup_steps import ROOT

READY_SECONDS: Final = 240
STOP_SECONDS: Final = 60
RESPONSE_SECONDS: Final = 120


@dataclass(frozen=True)
class LocalHost:
    """``url`` is both where its pages are and the address to connect an account at."""

    url: str

    def do(self, deed: str, **values: Any) -> Any:  # noqa: ANN401 - JSON.
        """Do something at the host, named as in MemoryWorld; returns what it answers."""
        return self._control(f"do/{deed}", values)

    def have(self, *troubles: dict[str, Any]) -> int:
        """Have these troubles instead of those there were; returns how many calls those met."""
        befallen: int = self._control("troubles", list(troubles))
        return befallen

    def met(self) -> int:
        """How many calls its troubles have met so far."""
        befallen: int = self._control("troubles", None)
        return befallen

    def point_webhooks(self, url: str, secret: str, *, hold: bool = False) -> None:
        self._control("hook", {"url": url, "secret": secret, "hold": hold})

    def deliveries(self) -> list[dict[str, Any]]:
        """Every webhook there was something to tell by, the oldest first."""
        told: list[dict[str, Any]] = self._control("deliveries", {})
        return told

    def send(self, delivery_id: str) -> int:
        """Send a delivery, again if need be; returns the status it was answered with."""
        status: int = self._control(f"deliveries/{delivery_id}/send", {})
        return status

    def page_of(self, full_name: str, number: int) -> str:
        return f"{self.url}/{full_name}/pulls/{number}"

    def _control(self, path: str, values: object) -> Any:  # noqa: ANN401 - JSON.
        address = f"{self.url}/control/{path}"
        answer = httpx.post(address, content=json.dumps(values), timeout=RESPONSE_SECONDS)
        if answer.status_code != httpx.codes.OK:
            raise DemoError(f"The local host answered {answer.status_code}: {answer.text[:500]}")
        return answer.json()


@contextmanager
def running_local_host(liked_port: int = 0) -> Iterator[LocalHost]:
    """A fresh host; its process ends with the block, however that ends."""
    # Handed on open, so that nobody takes the port before it listens there.
    with _listener(liked_port) as listener:
        port, number = listener.getsockname()[1], listener.fileno()
        process = subprocess.Popen(
            [sys.executable, "-m", "scripts.local_host", "--listener", str(number)],
            cwd=ROOT,
            stdin=subprocess.PIPE,
            pass_fds=[number],
            # Ctrl-C is for whoever started it, who then stops it.
            start_new_session=True,
        )
    try:
        host = LocalHost(f"http://127.0.0.1:{port}")
        _wait_until_ready(process, host.url)
        yield host
    finally:
        process.send_signal(signal.SIGTERM)
        try:
            process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        finally:
            if process.stdin is not None:
                process.stdin.close()


def _listener(liked_port: int) -> socket.socket:
    try:
        return socket.create_server(("127.0.0.1", liked_port))
    except OSError:
        return socket.create_server(("127.0.0.1", 0))


def _wait_until_ready(process: subprocess.Popen[bytes], url: str) -> None:
    deadline = time.monotonic() + READY_SECONDS
    while time.monotonic() < deadline:
        if process.poll() is not None:
            raise DemoError("The local host ended at once.")
        try:
            httpx.get(url, timeout=RESPONSE_SECONDS)
        except httpx.TransportError:
            # It does not listen yet.
            time.sleep(0.1)
            continue
        return
    raise DemoError(f"The local host was not ready after {READY_SECONDS} seconds.")
