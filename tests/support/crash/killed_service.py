"""The whole service as one machine runs it, and ways to kill its parts."""

import random
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import psutil

from tests.support.servers.service import (
    HTTP,
    OWNER,
    START_SECONDS,
    Process,
    answers,
    environment,
    free_port,
    run,
    wait_until,
)

PAUSE_SECONDS = 0.2
RENDER_WAIT_SECONDS = 120


@dataclass
class KilledService:
    """``visual-review up`` on one data folder and one port, killed and started again."""

    data: Path
    port: int = field(default_factory=free_port)
    process: Process = field(init=False)
    key: str = field(init=False, default="")
    starts: int = 0
    # Set once the service is beyond help, so that no one waits any more.
    lost: threading.Event = field(default_factory=threading.Event)

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def begin(self) -> None:
        self.start()
        arguments = ["keys", "create", "--name", "tests", "--user", OWNER[0], "--quiet"]
        made = run([*arguments, "--data", str(self.data)])
        assert made.code == 0, made.err
        self.key = made.out.strip()

    def start(self) -> None:
        """Start ``up`` until it stays: leftovers of a killed one may still hold the port."""
        deadline = time.monotonic() + START_SECONDS
        while not self._start_once():
            assert time.monotonic() < deadline, self.process.written
            time.sleep(PAUSE_SECONDS)

    def _start_once(self) -> bool:
        self.starts += 1
        owner = {
            "VISUAL_REVIEW_OWNER_EMAIL": OWNER[0],
            "VISUAL_REVIEW_OWNER_PASSWORD": OWNER[1],
        }
        self.process = Process(
            ["up", "--data", str(self.data), "--port", str(self.port)],
            self.data.with_name(f"up-{self.starts}.log"),
            environment(**owner),
        )
        while "is ready at" not in self.process.written:
            if self.process.process.poll() is not None:
                return False
            time.sleep(PAUSE_SECONDS)
        return True

    def end(self) -> None:
        self.process.end()

    def written(self) -> str:
        """Return the logs of every start so far."""
        logs = [self.data.with_name(f"up-{number + 1}.log") for number in range(self.starts)]
        return "\n".join(log.read_text() for log in logs if log.exists())

    def kill_child(self, name: str) -> None:
        """Kill the web process or the worker, once alive and recovered from the last kill."""
        if name == "web":
            wait_until("the web process answers", lambda: answers(f"{self.address}/healthz"))
        wait_until(f"the {name} lives", lambda: self.process.child(name), self.process)
        child = self.process.child(name)
        if child is not None:
            _kill(child)

    def kill_backend(self, dice: random.Random) -> None:
        """Kill one of PostgreSQL's processes: all connections end, and PostgreSQL recovers."""
        postgres = self.process.child("postgres")
        backends = postgres.children() if postgres else []
        if backends:
            _kill(dice.choice(backends))

    def kill_all(self) -> None:
        """Kill the supervisor, whose children then end, and start everything again."""
        self.process.process.kill()
        self.process.process.wait()
        self.start()

    def act(self, name: str, **payload: object) -> Any:  # noqa: ANN401 - JSON.
        """Call an action over REST, again until a response arrives; the first 4xx is an error."""
        answer = self.ask(
            lambda: HTTP.post(
                f"{self.address}/api/rest/actions/{name}",
                json=payload,
                headers={"Authorization": f"Bearer {self.key}"},
                timeout=30,
            )
        )
        assert answer.status_code == 200, answer.text
        return answer.json()["result"]

    def ask(self, call: Callable[[], httpx.Response]) -> httpx.Response:
        deadline = time.monotonic() + RENDER_WAIT_SECONDS
        while True:
            try:
                answer = call()
            except httpx.TransportError:
                answer = None
            if answer is not None and answer.status_code < 500:
                return answer
            assert time.monotonic() < deadline, self.process.written
            assert not self.lost.is_set()
            time.sleep(PAUSE_SECONDS)


def _kill(process: psutil.Process) -> None:
    try:
        process.kill()
    except psutil.NoSuchProcess:
        # The process ended by itself at the same moment.
        return
