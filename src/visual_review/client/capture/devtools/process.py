"""Starts Chromium with its DevTools protocol on a pipe, and ends it with all its children."""

import asyncio
import os
import signal
from collections import deque
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Final

from visual_review.client.capture.devtools.connection import Connection, ConnectionLostError
from visual_review.client.capture.devtools.pipe import (
    MessageSplitter,
    open_pipe,
    read_pipe,
    write_pipe,
)

# Chromium reads commands from the first and writes results to the second.
BROWSER_READS: Final = 3
BROWSER_WRITES: Final = 4
STDOUT: Final = 1
STDERR: Final = 2
LOG_PARTS: Final = 64
LOG_LENGTH: Final = 20_000
# After the end of the pipe, the time for the browser's last lines to arrive.
LOG_SECONDS: Final = 1.0


class BrowserProcess:
    """A running browser from ``start_browser``; the caller must call ``close``."""

    def __init__(self, pid: int) -> None:
        self.pid = pid
        self.connection: Connection
        # Whether pages render frames on request only.
        self.frame_control = False
        self._transports: list[asyncio.BaseTransport] = []
        self._log: deque[bytes] = deque(maxlen=LOG_PARTS)
        self._log_ended = asyncio.Event()
        self._closed = False

    @property
    def running(self) -> bool:
        return not self._closed and self.connection.browser.lost is None

    async def connect(self, commands: int, results: int, errors: int) -> None:
        writer = await write_pipe(commands)
        self._transports.append(writer)
        self.connection = Connection(writer.write)
        splitter = MessageSplitter(self.connection.receive)
        self._transports += [
            await read_pipe(results, splitter.feed, self._on_lost),
            await read_pipe(errors, self._log.append, self._log_ended.set),
        ]

    def _on_lost(self) -> None:
        self.connection.close("the browser ended")

    async def read_log(self) -> str:
        """Return the browser's log, each line with the mark ``[err]``."""
        with suppress(TimeoutError):
            async with asyncio.timeout(LOG_SECONDS):
                await self._log_ended.wait()
        text = b"".join(self._log).decode(errors="replace")[-LOG_LENGTH:]
        return "".join(f"[err] {line}\n" for line in text.splitlines() if line.strip())

    async def close(self) -> None:
        """End the browser and its children in any state."""
        if self._closed:
            return
        self._closed = True
        self.connection.close("the browser was closed")
        self.kill()
        await asyncio.shield(asyncio.to_thread(_reap, self.pid))
        for transport in self._transports:
            transport.close()
        # Transports close their files in the next turn of the loop.
        await asyncio.sleep(0)

    def kill(self) -> None:
        with suppress(ProcessLookupError):
            os.killpg(self.pid, signal.SIGKILL)


def _reap(pid: int) -> None:
    with suppress(ChildProcessError):
        os.waitpid(pid, 0)


async def start_browser(command: Sequence[str], environment: Mapping[str, str]) -> BrowserProcess:
    """Start a browser. Raises ``ConnectionLostError`` if the program cannot be run."""
    commands, results, errors = open_pipe(), open_pipe(), open_pipe()
    inner, outer = (commands[0], results[1], errors[1]), (commands[1], results[0], errors[0])
    try:
        pid = _spawn(command, environment, *inner)
    except OSError as error:
        for end in outer:
            os.close(end)
        raise ConnectionLostError(f"{command[0]} cannot be run: {error.strerror}") from error
    finally:
        for end in inner:
            os.close(end)
    process = BrowserProcess(pid)
    await process.connect(*outer)
    return process


def _spawn(
    command: Sequence[str], environment: Mapping[str, str], reads: int, writes: int, errors: int
) -> int:
    # Chromium's descriptors have fixed numbers, and subprocess cannot set these numbers without
    # running Python in the child. Ending the browser's own process group ends the children, too.
    return os.posix_spawn(
        command[0],
        list(command),
        dict(environment),
        file_actions=[
            (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
            (os.POSIX_SPAWN_OPEN, STDOUT, os.devnull, os.O_WRONLY, 0),
            (os.POSIX_SPAWN_DUP2, errors, STDERR),
            (os.POSIX_SPAWN_DUP2, reads, BROWSER_READS),
            (os.POSIX_SPAWN_DUP2, writes, BROWSER_WRITES),
        ],
        setpgroup=0,
    )
