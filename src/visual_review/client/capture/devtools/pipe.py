"""Messages over a pair of pipes: each is a JSON document with a NUL byte at the end."""

import asyncio
import fcntl
import json
import os
import sys
from collections.abc import Callable
from typing import Any, Final

END: Final = b"\0"
# The system's default holds 64 KiB, so a screenshot would need hundreds of wake-ups.
PIPE_BYTES: Final = 1 << 20
# Above the numbers that the browser reads from and writes to.
FIRST_FREE: Final = 10

OnMessage = Callable[[dict[str, Any]], None]


def open_pipe() -> tuple[int, int]:
    """Return a pipe's two ends, neither inherited nor with the number 3 or 4."""
    ends = os.pipe()
    try:
        moved = [fcntl.fcntl(end, fcntl.F_DUPFD_CLOEXEC, FIRST_FREE) for end in ends]
    finally:
        for end in ends:
            os.close(end)
    _enlarge(moved[0])
    return moved[0], moved[1]


def _enlarge(end: int) -> None:
    if sys.platform != "linux":
        return
    try:
        fcntl.fcntl(end, fcntl.F_SETPIPE_SZ, PIPE_BYTES)
    except OSError:
        # The limit of users without privileges; the pipe works with the default size.
        return


class MessageSplitter:
    """Joins received data into messages; a long message arrives in many parts."""

    def __init__(self, on_message: OnMessage) -> None:
        self._on_message = on_message
        self._parts: list[bytes] = []

    def feed(self, data: bytes) -> None:
        *complete, rest = data.split(END)
        for part in complete:
            text = b"".join([*self._parts, part])
            self._parts.clear()
            self._on_message(json.loads(text))
        if rest:
            self._parts.append(rest)


class _Reader(asyncio.Protocol):
    def __init__(self, on_data: Callable[[bytes], None], on_end: Callable[[], None]) -> None:
        self._on_data = on_data
        self._on_end = on_end

    def data_received(self, data: bytes) -> None:
        self._on_data(data)

    def connection_lost(self, _error: Exception | None) -> None:
        self._on_end()


async def read_pipe(
    end: int, on_data: Callable[[bytes], None], on_end: Callable[[], None]
) -> asyncio.ReadTransport:
    """Call ``on_data`` with data arriving at ``end``, which is closed with the transport."""
    loop = asyncio.get_running_loop()
    transport, _ = await loop.connect_read_pipe(
        lambda: _Reader(on_data, on_end), os.fdopen(end, "rb", buffering=0)
    )
    return transport


async def write_pipe(end: int) -> asyncio.WriteTransport:
    """Return a transport that never blocks; closing the transport closes ``end``."""
    loop = asyncio.get_running_loop()
    transport, _ = await loop.connect_write_pipe(
        asyncio.BaseProtocol, os.fdopen(end, "wb", buffering=0)
    )
    return transport
