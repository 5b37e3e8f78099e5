"""The child processes of the supervisor: their environment, restarts, and stops in order."""

import logging
import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from visual_review.config.standalone.parent_death import ends_with_parent

OWN = "VISUAL_REVIEW_"
# For the migration alone, which creates the first owner.
OWNER = f"{OWN}OWNER_"
PREFIXES = (OWN, "OTEL_", "LC_", "PYTHON", "MALLOC_", "OPENBLAS_", "OMP_")
NAMES = frozenset(
    {
        *("PATH", "LD_LIBRARY_PATH", "HOME", "TMPDIR", "TZ", "LANG", "LANGUAGE", "NO_COLOR"),
        *("SSL_CERT_FILE", "SSL_CERT_DIR", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE"),
        *("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY"),
        *("http_proxy", "https_proxy", "all_proxy", "no_proxy"),
    }
)
# Without -P, code would also be searched for in the folder where the user happened to be.
PROGRAM = (sys.executable, "-P", "-m", "visual_review.cli.main")
# A repeatedly failing child is restarted after longer and longer pauses.
LONGEST_PAUSE_SECONDS = 10.0
HEALTHY_AFTER_SECONDS = 30.0
SOLE_WORKER = "--alone"
POLL_SECONDS = 0.02
logger = logging.getLogger(__name__)


def filter_environment(variables: Mapping[str, str]) -> dict[str, str]:
    """Return the variables for web and worker: no credential of anything else."""
    return {
        name: value
        for name, value in variables.items()
        if name in NAMES or (name.startswith(PREFIXES) and not name.startswith(OWNER))
    }


def owner_variables(variables: Mapping[str, str]) -> dict[str, str]:
    """Return the variables with the first owner's e-mail address and password."""
    return {name: value for name, value in variables.items() if name.startswith(OWNER)}


def owner_values(variables: Mapping[str, str]) -> tuple[str, str, str]:
    """Return the first owner's e-mail address, password and organization; missing ones are empty."""
    email, password, organization = (
        variables.get(f"{OWNER}{name}", "") for name in ("EMAIL", "PASSWORD", "ORGANIZATION")
    )
    return email, password, organization


class Process(Protocol):
    """The methods of ``subprocess.Popen``, for a process started in any way."""

    @property
    def pid(self) -> int: ...

    def poll(self) -> int | None: ...

    def wait(self, timeout: float | None = None) -> int: ...

    def send_signal(self, sig: int) -> None: ...


@dataclass
class ForkedProcess:
    """A child of this process, forked by another one."""

    pid: int
    returncode: int | None = None

    def poll(self) -> int | None:
        if self.returncode is None:
            self._wait(os.WNOHANG)
        return self.returncode

    def wait(self, timeout: float | None = None) -> int:
        """Return the exit code. Raises subprocess.TimeoutExpired."""
        if timeout is not None:
            deadline = time.monotonic() + timeout
            while self.poll() is None:
                if time.monotonic() > deadline:
                    raise subprocess.TimeoutExpired(f"process {self.pid}", timeout)
                time.sleep(POLL_SECONDS)
        while self.returncode is None:
            self._wait(0)
        return self.returncode

    def send_signal(self, sig: int) -> None:
        # Until the child is waited for, no other process gets its number.
        if self.poll() is None:
            os.kill(self.pid, sig)

    def _wait(self, options: int) -> None:
        pid, status = os.waitpid(self.pid, options)
        if pid:
            self.returncode = os.waitstatus_to_exitcode(status)


@dataclass
class Child:
    """One command of the program, kept running."""

    name: str
    arguments: Sequence[str]
    environment: Mapping[str, str]
    stop_seconds: float
    inherited: Sequence[int] = ()
    process: Process | None = None
    started: float = 0.0
    failures: int = 0
    next_start: float = field(default=0.0)

    def start(self) -> None:
        self.take_over(spawn(self.arguments, self.environment, self.inherited))

    def take_over(self, process: Process) -> None:
        """Keep ``process`` running instead, a process with the same command."""
        self.started = time.monotonic()
        self.process = process

    def keep_running(self) -> None:
        """Restart the process after an end; call often."""
        if self.process is not None:
            code = self.process.poll()
            if code is None:
                return
            self._record_exit(code)
        if time.monotonic() >= self.next_start:
            self.start()

    def stop(self) -> None:
        """Terminate the process, and kill a process that takes too long."""
        if self.process is None or self.process.poll() is not None:
            return
        self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(self.stop_seconds)
        except subprocess.TimeoutExpired:
            logger.warning(
                "%s did not stop within %s s and is killed", self.name, self.stop_seconds
            )
            self.process.send_signal(signal.SIGKILL)
            self.process.wait()

    def _record_exit(self, code: int) -> None:
        lived = time.monotonic() - self.started
        # A killed process did not fail by itself, so the restart needs no pause.
        failed = code != -signal.SIGKILL and lived <= HEALTHY_AFTER_SECONDS
        self.failures = self.failures + 1 if failed else 0
        pause = min((self.failures - 1) * 1.0, LONGEST_PAUSE_SECONDS) if self.failures else 0.0
        self.next_start = time.monotonic() + pause
        self.process = None
        logger.warning("%s ended with %s and is restarted in %s s", self.name, code, pause)


def spawn(
    arguments: Sequence[str],
    environment: Mapping[str, str],
    inherited: Sequence[int] = (),
    output: int | None = None,
) -> "subprocess.Popen[bytes]":
    """Start a command of the program; the command ends with this process, however this one ends."""
    return start([*PROGRAM, *arguments], environment, inherited, output)


def start(
    command: Sequence[str],
    environment: Mapping[str, str],
    inherited: Sequence[int] = (),
    output: int | None = None,
) -> "subprocess.Popen[bytes]":
    """Start one of our programs, which ends with this process."""
    return subprocess.Popen(  # noqa: S603 - Our own program.
        command,
        env=dict(environment),
        stdin=subprocess.DEVNULL,
        stdout=output,
        pass_fds=tuple(inherited),
        # Ctrl-C in the terminal must reach only the supervisor, which stops all in order.
        start_new_session=True,
        preexec_fn=ends_with_parent(signal.SIGTERM),  # noqa: PLW1509 - One thread runs here.
    )
