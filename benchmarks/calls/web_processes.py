"""Web processes that are measured next to the service's own, on the same database."""

import os
import signal
import socket
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx
import psutil
from scripts.demo_folder import DemoError
from scripts.setup_steps import ROOT, VENV_BIN

from benchmarks.earlier import NO_HISTORY, ensure_earlier
from visual_review.config.environment import PUBLIC_URL

HOST = "127.0.0.1"
BACKLOG = 2048
READY_SECONDS, STOP_SECONDS, STEP_SECONDS = 60.0, 20.0, 0.1
SERVE = (
    "import socket, sys\n"
    "from visual_review.config.boot import load\n"
    "load(sys.argv[1])(socket.socket(fileno=int(sys.argv[2])))\n"
)


@dataclass(frozen=True)
class WebProcess:
    """A running web process and where it listens."""

    address: tuple[str, int]
    process: psutil.Process

    @property
    def host(self) -> str:
        return f"{self.address[0]}:{self.address[1]}"

    def cpu_seconds(self) -> float:
        times = self.process.cpu_times()
        return float(times.user + times.system)

    def resident_bytes(self) -> int:
        return int(self.process.memory_info().rss)


@contextmanager
def bare_web(logs: Path, public_url: str) -> Iterator[WebProcess]:
    """Run this version's web process with the bare endpoints in addition."""
    command = [VENV_BIN / "python", "-c", SERVE, "benchmarks.calls.bare_server.serve"]
    settings = {
        PUBLIC_URL: public_url,
        "DJANGO_SETTINGS_MODULE": "benchmarks.calls.bare_settings",
    }
    with _running(command, ROOT, settings, logs / "bare.log") as web:
        yield web


@contextmanager
def earlier_web(logs: Path, public_url: str) -> Iterator[WebProcess | None]:
    """Run the earlier commit's web process; None, and a line that says so, without its history.

    It reads the same rows. Its own command would refuse a database of a later version.
    """
    folder = ensure_earlier()
    if folder is None:
        print(f"bench-mcp: {NO_HISTORY}", flush=True)
        yield None
        return
    python = folder / ".venv" / "bin" / "python"
    command = [python, "-P", "-c", SERVE, "visual_review.config.http.serve.serve"]
    settings = {
        PUBLIC_URL: public_url,
        "DJANGO_SETTINGS_MODULE": "visual_review.config.settings",
    }
    with _running(command, folder, settings, logs / "earlier.log") as web:
        yield web


@contextmanager
def _running(
    command: Sequence[str | Path], folder: Path, settings: Mapping[str, str], log: Path
) -> Iterator[WebProcess]:
    with (
        socket.create_server((HOST, 0), backlog=BACKLOG) as listener,
        log.open("wb") as stream,
        subprocess.Popen(
            [*map(str, command), str(listener.fileno())],
            cwd=folder,
            env={**os.environ, **settings},
            pass_fds=[listener.fileno()],
            stdin=subprocess.DEVNULL,
            stdout=stream,
            stderr=stream,
        ) as process,
    ):
        try:
            web = WebProcess(listener.getsockname(), psutil.Process(process.pid))
            _wait_until_ready(web, process, log)
            yield web
        finally:
            _stop(process)


def _wait_until_ready(web: WebProcess, process: "subprocess.Popen[bytes]", log: Path) -> None:
    deadline = time.monotonic() + READY_SECONDS
    while time.monotonic() < deadline and process.poll() is None:
        try:
            if httpx.get(f"http://{web.host}/readyz", timeout=READY_SECONDS).is_success:
                return
        except httpx.TransportError:
            # It does not accept connections yet.
            pass
        time.sleep(STEP_SECONDS)
    raise DemoError(
        f"A web process did not become ready:\n{log.read_text(errors='replace')[-3000:]}"
    )


def _stop(process: "subprocess.Popen[bytes]") -> None:
    process.send_signal(signal.SIGTERM)
    try:
        process.wait(STOP_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
