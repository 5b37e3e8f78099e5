"""Starts ``visual-review up`` and notes from outside when each step is done."""

import json
import os
import re
import signal
import socket
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import httpx
import psutil
from scripts.demo_folder import DemoError

from benchmarks.start.memory import ProcessMemory, read_memory

READY_SECONDS, STOP_SECONDS, STEP_SECONDS, RESPONSE_SECONDS = 180.0, 60.0, 0.02, 60.0
FIRST_LINE: Final = "first words"
FILES: Final = "database's files exist"
POSTGRES_READY: Final = "PostgreSQL accepts connections"
ALIVE: Final = "first response (/healthz)"
READY: Final = "ready (/readyz)"
GREETED: Final = "the terminal says so"
STEPS: Final = (FIRST_LINE, FILES, POSTGRES_READY, ALIVE, READY, GREETED)
GREETING: Final = "is ready at"
# What differs between starts: times, process IDs, ports, folders, one-time links.
VARIABLE: Final = re.compile(r"\S*[\d/]\S*")


@dataclass
class Start:
    """Seconds since the command was entered of each step and of each line of output.

    ``cpu`` is the CPU time of all processes until the service was ready.
    """

    steps: dict[str, float] = field(default_factory=dict)
    lines: list[tuple[float, str]] = field(default_factory=list)
    cpu: float = 0.0
    memory: list[ProcessMemory] | None = None

    def note(self, step: str, began: float) -> None:
        self.steps.setdefault(step, time.monotonic() - began)

    def add_line(self, seconds: float, line: str) -> None:
        """Keep a line of output; of a log record its message, which is not for people."""
        message = read_message(line)
        if message is None and line.strip():
            self.steps.setdefault(FIRST_LINE, seconds)
            if GREETING in line:
                self.steps.setdefault(GREETED, seconds)
        self.lines.append((seconds, line if message is None else f"log: {message}"))


def observe_start(program: Path, data: Path, idle_seconds: float | None = None) -> Start:
    """Start the service, stop it again, and return what was seen.

    With ``idle_seconds``, its memory is read so long after it was ready. Raises DemoError if it
    does not start.
    """
    start = Start()
    port = _find_free_port()
    began = time.monotonic()
    with _running(program, data, port) as process:
        reader = threading.Thread(target=_read_lines, args=(process, start, began))
        prober = threading.Thread(target=_probe, args=(process, port, start, began))
        reader.start()
        prober.start()
        _watch(process, data, start, began)
        prober.join()
        if READY not in start.steps or GREETED not in start.steps:
            output = "\n".join(line for _, line in start.lines)
            raise DemoError(f"The service did not become ready:\n{output}")
        supervisor = psutil.Process(process.pid)
        start.cpu = cpu_seconds(supervisor)
        if idle_seconds is not None:
            time.sleep(idle_seconds)
            start.memory = _memory_of(supervisor)
        _stop(process)
        reader.join()
    return start


def cpu_seconds(supervisor: psutil.Process) -> float:
    """Return the CPU time of a process, of all below it, and of those that ended."""
    total = 0.0
    for process in (supervisor, *supervisor.children(recursive=True)):
        try:
            times = process.cpu_times()
        except psutil.NoSuchProcess:
            continue
        total += times.user + times.system + times.children_user + times.children_system
    return total


def read_message(line: str) -> str | None:
    """Return the message of a line of the log; None for any other line."""
    try:
        record = json.loads(line)
    except ValueError:
        return None
    return str(record.get("message", "")) if isinstance(record, dict) else None


def simplify_line(line: str) -> str:
    """Return the line without what differs between two starts."""
    return " ".join(VARIABLE.sub("", line).split())


def _memory_of(supervisor: psutil.Process) -> list[ProcessMemory] | None:
    try:
        return read_memory(supervisor)
    except PermissionError:
        return None


def _find_free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as probe:
        return int(probe.getsockname()[1])


@contextmanager
def _running(program: Path, data: Path, port: int) -> "Iterator[subprocess.Popen[str]]":
    with subprocess.Popen(
        [program, "up", "--data", data, "--port", str(port)],
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        # Ctrl-C is for the benchmark, which then stops the service itself.
        start_new_session=True,
    ) as process:
        try:
            yield process
        finally:
            _stop(process)


def _read_lines(process: "subprocess.Popen[str]", start: Start, began: float) -> None:
    assert process.stdout is not None  # noqa: S101 - It is a pipe.
    for line in process.stdout:
        start.add_line(time.monotonic() - began, line.rstrip())


def _probe(process: "subprocess.Popen[str]", port: int, start: Start, began: float) -> None:
    """Note the first response and the first that says ready; requests wait in the socket's queue."""
    while process.poll() is None and time.monotonic() - began < READY_SECONDS:
        path = "/readyz" if ALIVE in start.steps else "/healthz"
        try:
            response = httpx.get(f"http://127.0.0.1:{port}{path}", timeout=RESPONSE_SECONDS)
        except httpx.TransportError:
            # The port is not open yet.
            response = None
        if response is not None and response.is_success:
            start.note(READY if ALIVE in start.steps else ALIVE, began)
            if READY in start.steps:
                return
            continue
        time.sleep(STEP_SECONDS)


def _watch(process: "subprocess.Popen[str]", data: Path, start: Start, began: float) -> None:
    """Note what PostgreSQL's files say, which costs no connection."""
    cluster = data / "postgres" / "cluster"
    file = cluster / "postmaster.pid"
    while process.poll() is None and time.monotonic() - began < READY_SECONDS:
        if FILES not in start.steps and (cluster / "PG_VERSION").exists():
            start.note(FILES, began)
        if POSTGRES_READY not in start.steps and _says_ready(file):
            start.note(POSTGRES_READY, began)
        if READY in start.steps and GREETED in start.steps:
            return
        time.sleep(STEP_SECONDS)


def _says_ready(file: Path) -> bool:
    try:
        return "ready" in file.read_text()
    except OSError:
        return False


def _stop(process: "subprocess.Popen[str]") -> None:
    if process.poll() is not None:
        return
    process.send_signal(signal.SIGINT)
    try:
        process.wait(STOP_SECONDS)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
