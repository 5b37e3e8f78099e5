"""Start ``visual-review up`` for the demo, call actions of the server, and stop the server."""

import os
import secrets
import signal
import socket
import subprocess
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx

from scripts.demo_folder import DemoError
from scripts.setup_steps import VENV_BIN

PROGRAM = VENV_BIN / "visual-review"
EMAIL = "demo@example.com"
PREFERRED_PORT = 8080
READY_SECONDS = 240
STOP_SECONDS = 60
RESPONSE_SECONDS = 60
LOG_LINES = 30


@dataclass(frozen=True)
class DemoServer:
    """A running server; ``key`` is an API key of the owner."""

    url: str
    password: str
    process: subprocess.Popen[bytes]
    key: str
    email: str = EMAIL

    def act(self, action: str, **values: Any) -> dict[str, Any]:  # noqa: ANN401 - JSON.
        """Call an action over REST and return its result. Raises DemoError if the call fails."""
        response = httpx.post(
            f"{self.url}/api/rest/actions/{action}",
            json=values,
            headers={"Authorization": f"Bearer {self.key}"},
            timeout=RESPONSE_SECONDS,
        )
        if response.status_code != httpx.codes.OK:
            raise DemoError(f"{action} returned {response.status_code}: {response.text[:500]}")
        result: dict[str, Any] = response.json()["result"]
        return result


@contextmanager
def running_server(
    folder: Path,
    preferred_port: int = PREFERRED_PORT,
    settings: Mapping[str, str] | None = None,
    program: Path = PROGRAM,
) -> Iterator[DemoServer]:
    """Run a server on a fresh data folder; stop the server at the end of the block.

    The server listens on ``preferred_port`` if free; 0 means any free port. ``settings`` are
    additional environment variables.
    """
    port = find_free_port(preferred_port)
    url, password, data = f"http://127.0.0.1:{port}", secrets.token_urlsafe(12), folder / "data"
    log = folder / "server.log"
    environment = {
        "VISUAL_REVIEW_OWNER_EMAIL": EMAIL,
        "VISUAL_REVIEW_OWNER_PASSWORD": password,
        "VISUAL_REVIEW_OWNER_ORGANIZATION": "Harbour",
    }
    with log.open("wb") as stream:
        process = subprocess.Popen(
            [program, "up", "--data", data, "--port", str(port)],
            env={**os.environ, **environment, **(settings or {})},
            stdin=subprocess.DEVNULL,
            stdout=stream,
            stderr=stream,
            # Ctrl-C is for the demo; then the demo stops the server.
            start_new_session=True,
        )
    try:
        _wait_until_ready(process, url, log)
        yield DemoServer(url, password, process, _create_key(program, data, log))
    finally:
        _stop(process)


def find_free_port(preferred: int) -> int:
    for port in (preferred, 0):
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
            free: int = probe.getsockname()[1]
            return free
    raise DemoError("This machine has no free port.")


def _wait_until_ready(process: subprocess.Popen[bytes], url: str, log: Path) -> None:
    deadline = time.monotonic() + READY_SECONDS
    while time.monotonic() < deadline:
        if process.poll() is not None:
            raise DemoError(f"The server exited during startup:\n{_tail(log)}")
        try:
            if httpx.get(f"{url}/readyz", timeout=RESPONSE_SECONDS).status_code == httpx.codes.OK:
                return
        except httpx.TransportError:
            # The server is not listening yet.
            pass
        time.sleep(0.2)
    raise DemoError(f"The server was not ready after {READY_SECONDS} seconds:\n{_tail(log)}")


def _create_key(program: Path, data: Path, log: Path) -> str:
    options = ["--name", "demo", "--user", EMAIL, "--quiet"]
    command = [str(program), "keys", "create", *options, "--data", str(data)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    key = done.stdout.strip()
    if done.returncode != 0 or not key:
        raise DemoError(f"No API key could be created: {done.stderr}\n{_tail(log)}")
    return key


def _stop(process: subprocess.Popen[bytes]) -> None:
    process.send_signal(signal.SIGINT)
    try:
        process.wait(STOP_SECONDS)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        raise DemoError(f"The server did not stop within {STOP_SECONDS} seconds.") from None


def _tail(log: Path) -> str:
    lines = log.read_text(encoding="utf-8", errors="replace").splitlines()
    return "\n".join(lines[-LOG_LINES:])


def clean_environment(more: Mapping[str, str]) -> dict[str, str]:
    """Return the environment without CI variables: the demo says by options what to publish."""
    providers = (
        "GITHUB_",
        "GITLAB_",
        "CI_",
        "CIRCLE",
        "BUILDKITE",
        "TF_BUILD",
        "BITBUCKET_",
        "JENKINS_",
    )
    kept = {name: value for name, value in os.environ.items() if not name.startswith(providers)}
    return {**kept, **more}
