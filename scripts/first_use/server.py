"""``visual-review up`` in a terminal of its own, read line by line."""

import os
import signal
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import psutil  # type: ignore[import-untyped] # It ships no types.

from scripts.demo_server import PROGRAM, clean_environment, find_free_port
from scripts.first_use.errors import FirstUseError
from scripts.first_use.machine import keep_foreign
from scripts.first_use.printed import LAST_LINE

READY_SECONDS: Final = 240
STOP_SECONDS: Final = 60
# Whatever follows the greeting would have come by then.
QUIET_SECONDS: Final = 1.0


class Server:
    """A started server; ``lines`` are the lines printed so far."""

    def __init__(self, data: Path) -> None:
        port = find_free_port(0)
        self.command = f"visual-review up --data {data} --port {port}"
        self.lines: list[str] = []
        self.first_line_seconds = 0.0
        self.first_line_cpu_seconds = 0.0
        self._start = time.monotonic()
        self._process = subprocess.Popen(
            [PROGRAM, "up", "--data", data, "--port", str(port)],
            env=keep_foreign(clean_environment({})),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            start_new_session=True,
        )
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def wait_until_greeted(self) -> None:
        """Wait for the greeting and all of its lines. Raises FirstUseError without a greeting."""
        deadline = time.monotonic() + READY_SECONDS
        while LAST_LINE not in self.lines:
            if self._process.poll() is not None:
                raise FirstUseError("The server exited during startup:\n" + "\n".join(self.lines))
            if time.monotonic() > deadline:
                raise FirstUseError("The server did not become ready:\n" + "\n".join(self.lines))
            time.sleep(0.02)
        time.sleep(QUIET_SECONDS)

    def stop(self) -> int:
        """Stop the server like Ctrl-C, and return its exit code."""
        if self._process.poll() is None:
            self._process.send_signal(signal.SIGINT)
        try:
            code = self._process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            self.kill()
            raise FirstUseError(f"The server did not stop within {STOP_SECONDS} seconds.") from None
        self._reader.join(STOP_SECONDS)
        return code

    def kill(self) -> None:
        if self._process.poll() is None:
            os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()

    def _read(self) -> None:
        output = self._process.stdout
        if output is None:
            return
        with output:
            for line in output:
                if not self.lines:
                    self._time_first_line()
                self.lines.append(line.rstrip("\n"))

    def _time_first_line(self) -> None:
        self.first_line_seconds = time.monotonic() - self._start
        times = psutil.Process(self._process.pid).cpu_times()
        self.first_line_cpu_seconds = times.user + times.system


@contextmanager
def started_server(data: Path) -> Iterator[Server]:
    """Start a server, and stop the server when the block ends."""
    server = Server(data)
    try:
        yield server
        server.stop()
    finally:
        server.kill()
