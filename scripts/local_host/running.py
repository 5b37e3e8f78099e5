"""Run the local Git provider in a process of its own, and control the provider."""

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
    """``url`` is the URL of the pages, and the URL for connecting an account."""

    url: str

    def do(self, operation: str, **values: Any) -> Any:  # noqa: ANN401 - JSON.
        """Call a method of MemoryWorld on the host; return the result."""
        return self._control(f"do/{operation}", values)

    def set_faults(self, *faults: dict[str, Any]) -> int:
        """Replace the faults; return how many calls the previous ones affected."""
        affected: int = self._control("faults", list(faults))
        return affected

    def count_affected_calls(self) -> int:
        """Return how many calls the faults have affected so far."""
        affected: int = self._control("faults", None)
        return affected

    def point_webhooks(self, url: str, secret: str, *, hold: bool = False) -> None:
        self._control("hook", {"url": url, "secret": secret, "hold": hold})

    def deliveries(self) -> list[dict[str, Any]]:
        """Return every webhook delivery, the oldest first."""
        deliveries: list[dict[str, Any]] = self._control("deliveries", {})
        return deliveries

    def send(self, delivery_id: str) -> int:
        """Send a delivery, possibly again; return the status code of the response."""
        status: int = self._control(f"deliveries/{delivery_id}/send", {})
        return status

    def page_of(self, full_name: str, number: int) -> str:
        return f"{self.url}/{full_name}/pulls/{number}"

    def _control(self, path: str, values: object) -> Any:  # noqa: ANN401 - JSON.
        url = f"{self.url}/control/{path}"
        response = httpx.post(url, content=json.dumps(values), timeout=RESPONSE_SECONDS)
        if response.status_code != httpx.codes.OK:
            text = response.text[:500]
            raise DemoError(f"The local Git provider returned {response.status_code}: {text}")
        return response.json()


@contextmanager
def running_local_host(preferred_port: int = 0) -> Iterator[LocalHost]:
    """Run a fresh host; the process always ends with the block."""
    # Passed on open, so that no other program can take the port first.
    with _open_listener(preferred_port) as listener:
        port, number = listener.getsockname()[1], listener.fileno()
        process = subprocess.Popen(
            [sys.executable, "-m", "scripts.local_host", "--listener", str(number)],
            cwd=ROOT,
            stdin=subprocess.PIPE,
            pass_fds=[number],
            # Ctrl-C is for the parent process; the parent then stops the host.
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


def _open_listener(preferred_port: int) -> socket.socket:
    try:
        return socket.create_server(("127.0.0.1", preferred_port))
    except OSError:
        return socket.create_server(("127.0.0.1", 0))


def _wait_until_ready(process: subprocess.Popen[bytes], url: str) -> None:
    deadline = time.monotonic() + READY_SECONDS
    while time.monotonic() < deadline:
        if process.poll() is not None:
            raise DemoError("The local Git provider exited during startup.")
        try:
            httpx.get(url, timeout=RESPONSE_SECONDS)
        except httpx.TransportError:
            # The host is not listening yet.
            time.sleep(0.1)
            continue
        return
    raise DemoError(f"The local Git provider was not ready after {READY_SECONDS} seconds.")
