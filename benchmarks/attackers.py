"""Clients for attacks on a service on this machine, in a process of their own.

The clients end by themselves, and at the latest with the block that started them.
"""

import asyncio
import multiprocessing
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any, Final

RECONNECT_SECONDS: Final = 0.5
PROBE_SECONDS: Final = 1.0
CHUNK: Final = bytes(64 * 1024)
# On one machine, the attack must not win by taking the processor from the service.
NICENESS: Final = 10
# So many addresses that no limit for one client hides the effect of many.
SOURCES: Final = tuple(f"127.0.0.{number}" for number in range(2, 42))


@dataclass(frozen=True)
class Attack:
    """``connections`` that stay open: with ``zeros``, half a body is sent; without, nothing is read."""

    port: int
    connections: int
    request: bytes
    zeros: int
    seconds: float


@contextmanager
def attacking(attack: Attack) -> Iterator[None]:
    """Attack until the block ends."""
    context = multiprocessing.get_context("spawn")
    process = context.Process(target=_run, args=(attack,), daemon=True)
    process.start()
    try:
        yield
    finally:
        process.kill()
        process.join()


def _run(attack: Attack) -> None:
    os.nice(NICENESS)
    with suppress(TimeoutError):
        asyncio.run(_attack(attack))


async def _attack(attack: Attack) -> None:
    async with asyncio.timeout(attack.seconds), asyncio.TaskGroup() as group:
        for number in range(attack.connections):
            group.create_task(_keep_attacking(attack, SOURCES[number % len(SOURCES)]))


async def _keep_attacking(attack: Attack, source: str) -> None:
    while True:
        # Whatever the service does about a connection, the attacker opens another one.
        with suppress(OSError):
            reader, writer = await asyncio.open_connection(
                "127.0.0.1", attack.port, local_addr=(source, 0), limit=1
            )
            try:
                await _send(attack, writer)
                await (_wait_for_response(reader) if attack.zeros else _read_nothing(writer))
            finally:
                writer.transport.abort()
        await asyncio.sleep(RECONNECT_SECONDS)


async def _send(attack: Attack, writer: asyncio.StreamWriter) -> None:
    writer.write(attack.request)
    for _ in range(attack.zeros // len(CHUNK)):
        writer.write(CHUNK)
        await writer.drain()


async def _wait_for_response(reader: asyncio.StreamReader) -> None:
    """Wait until the service ends the connection; the response is ignored."""
    while await reader.read(len(CHUNK)):
        pass


async def _read_nothing(writer: asyncio.StreamWriter) -> None:
    transport: Any = writer.transport
    transport.pause_reading()
    while not transport.is_closing():
        await asyncio.sleep(PROBE_SECONDS)
        # A reset is noticed only by writing.
        writer.write(b"\r\n")
