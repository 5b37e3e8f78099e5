"""The child processes of the supervisor: restarted when they end, stopped in order."""

import logging
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from visual_review.config.standalone.parent_death import ends_with_parent

# Without -P, code would also be searched for in the folder where the user happened to be.
PROGRAM = (sys.executable, "-P", "-m", "visual_review.cli.main")
# A child that keeps failing is restarted after longer and longer pauses.
LONGEST_PAUSE_SECONDS = 10.0
HEALTHY_AFTER_SECONDS = 30.0

logger = logging.getLogger(__name__)


@dataclass
class Child:
    """One command of this program, kept running."""

    name: str
    arguments: Sequence[str]
    environment: Mapping[str, str]
    stop_seconds: float
    inherited: Sequence[int] = ()
    process: "subprocess.Popen[bytes] | None" = None
    started: float = 0.0
    failures: int = 0
    next_start: float = field(default=0.0)

    def start(self) -> None:
        self.started = time.monotonic()
        self.process = spawn(self.arguments, self.environment, self.inherited)

    def keep_running(self) -> None:
        """Restart it if it ended; call this often."""
        if self.process is not None:
            code = self.process.poll()
            if code is None:
                return
            self._record_exit(code)
        if time.monotonic() >= self.next_start:
            self.start()

    def stop(self) -> None:
        """Terminate it, and kill it if that takes too long."""
        if self.process is None or self.process.poll() is not None:
            return
        self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(self.stop_seconds)
        except subprocess.TimeoutExpired:
            logger.warning(
                "%s did not stop within %s s and is killed", self.name, self.stop_seconds
            )
            self.process.kill()
            self.process.wait()

    def _record_exit(self, code: int) -> None:
        lived = time.monotonic() - self.started
        # A killed process did not fail by itself, so it is restarted without a pause.
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
    """Start this program; it ends with this process, however this one ends."""
    return subprocess.Popen(  # noqa: S603 - Our own program.
        [*PROGRAM, *arguments],
        env=dict(environment),
        stdin=subprocess.DEVNULL,
        stdout=output,
        pass_fds=tuple(inherited),
        # Ctrl-C in the terminal must reach only the supervisor, which stops all in order.
        start_new_session=True,
        preexec_fn=ends_with_parent(signal.SIGTERM),  # noqa: PLW1509 - One thread runs here.
    )
