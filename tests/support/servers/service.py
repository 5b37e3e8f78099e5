"""The real program, started as users do: ``visual-review up`` and its processes."""

import os
import random
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from shutil import rmtree
from typing import Any

import httpx
import psutil

from visual_review.config.standalone.os_user import account_for

PROGRAM = [sys.executable, "-m", "visual_review.cli.main"]
CHECKOUT = Path(__file__).resolve().parents[3]
START_SECONDS = 120
POLL_SECONDS = 0.05
# Below the ports of outgoing connections: one could take the port before its server listens.
PORTS = range(15_000, 32_000)
OWNER = ("olivia@example.com", "correct horse battery staple")
# Created once: reading the system's certificates takes longer than most requests. The client keeps
# no connections, since servers end between two requests.
HTTP = httpx.Client(timeout=60, limits=httpx.Limits(max_keepalive_connections=0))


def environment(**variables: str) -> dict[str, str]:
    """Return this process's environment, without variables that affect the service."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("VISUAL_REVIEW_", "PG", "DJANGO_", "AWS_"))
    }
    return {**kept, **variables}


def run(
    arguments: Sequence[str],
    env: Mapping[str, str] | None = None,
    **options: Any,  # noqa: ANN401 - Options of subprocess.
) -> "CommandResult":
    """Run one command of the program to its end."""
    done = subprocess.run(
        [*PROGRAM, *arguments],
        env=environment() if env is None else env,
        capture_output=True,
        text=True,
        timeout=START_SECONDS,
        check=False,
        **options,
    )
    return CommandResult(done.returncode, done.stdout, done.stderr)


@dataclass(frozen=True)
class CommandResult:
    code: int
    out: str
    err: str


@contextmanager
def open_folder() -> Iterator[Path]:
    """Create an empty folder open to every account, unlike pytest's as root."""
    folder = Path(tempfile.mkdtemp(prefix="visual-review-tests-"))
    folder.chmod(0o711)
    try:
        yield folder
    finally:
        rmtree(folder, ignore_errors=True)


def service_owner() -> int:
    """Return the user of a service started by this process."""
    if os.geteuid():
        return os.geteuid()
    account = account_for(Path("/nonexistent"))
    return account.uid if account.can_reach(Path(sys.executable).resolve()) else 0


def folder_owners() -> set[int]:
    """Return the possible owners of a data folder created by this process."""
    return {service_owner(), os.geteuid() or account_for(Path("/nonexistent")).uid}


def owners(folder: Path) -> set[int]:
    return {path.lstat().st_uid for path in (folder, *folder.rglob("*"))}


def free_port(*, below: int = 0) -> int:
    """Return an unused port; ``below`` chooses among the ports that only root may use."""
    if below:
        return next(port for port in range(below - 1, 0, -1) if _is_free(port))
    # In random order, since tests in several processes look for one at the same time.
    return next(port for port in iter(lambda: random.choice(PORTS), None) if _is_free(port))


def _is_free(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) != 0


class Process:
    """A command of the program that keeps running, with its output."""

    def __init__(
        self,
        arguments: Sequence[str],
        log: Path,
        env: Mapping[str, str],
        **options: Any,  # noqa: ANN401 - As above.
    ) -> None:
        self.log = log
        with log.open("wb") as output:
            self.process = subprocess.Popen(
                [*options.pop("program", PROGRAM), *arguments],
                stdout=output,
                stderr=output,
                env=dict(env),
                **options,
            )

    @property
    def written(self) -> str:
        return self.log.read_text()

    def children(self) -> list[psutil.Process]:
        return psutil.Process(self.process.pid).children()

    def child(self, name: str) -> psutil.Process | None:
        """Return the running child whose command line has ``name``, such as web or postgres."""
        found = [
            child
            for child in self.children()
            if any(part == name or part.endswith(f"/{name}") for part in _command_line(child))
        ]
        return found[0] if found else None

    def end(self, number: int = signal.SIGTERM) -> int:
        if self.process.poll() is None:
            self.process.send_signal(number)
        return self.process.wait(START_SECONDS)


def _command_line(process: psutil.Process) -> list[str]:
    try:
        return list(process.cmdline())
    except psutil.Error:
        # The process has just ended.
        return []


def wait_until(what: str, happened: Callable[[], object], process: Process | None = None) -> None:
    """Call ``happened`` until the result is true."""
    deadline = time.monotonic() + START_SECONDS
    while not happened():
        if time.monotonic() > deadline or (process and process.process.poll() is not None):
            raise AssertionError(
                f"{what}: it did not happen.\n{process.written if process else ''}"
            )
        time.sleep(POLL_SECONDS)


def answers(address: str, status: int = 200) -> bool:
    try:
        return HTTP.get(address, timeout=30).status_code == status
    except httpx.HTTPError:
        return False


@dataclass
class Service:
    """``visual-review up``, ready for requests."""

    process: Process
    address: str
    data: Path

    def get(self, path: str) -> httpx.Response:
        return HTTP.get(f"{self.address}{path}")

    def post(self, path: str, document: object, **headers: str) -> httpx.Response:
        return HTTP.post(f"{self.address}{path}", json=document, headers=headers)

    def ready(self) -> bool:
        return answers(f"{self.address}/readyz")


def start(
    data: Path,
    env: Mapping[str, str] | None = None,
    port: int = 0,
    **options: Any,  # noqa: ANN401 - As above.
) -> Service:
    port = port or free_port()
    arguments = ["up", "--data", str(data), "--port", str(port)]
    log = data.with_name(f"{data.name}-{port}.out")
    process = Process(arguments, log, environment() if env is None else env, **options)
    wait_until("the service is ready", lambda: "is ready at" in process.written, process)
    return Service(process, f"http://127.0.0.1:{port}", data)


def descendants(process: Process) -> list[psutil.Process]:
    return psutil.Process(process.process.pid).children(recursive=True)


def all_gone(processes: Sequence[psutil.Process]) -> bool:
    return not any(
        process.is_running() and process.status() != psutil.STATUS_ZOMBIE for process in processes
    )
