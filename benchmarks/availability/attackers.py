"""Clients that want to stop the service: processes of their own, so that they cost no honest time."""

import asyncio
import multiprocessing
import os
from collections.abc import Callable, Coroutine, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any, Final

# How often a request is repeated on a connection whose responses are never read.
PIPELINED: Final = 4000
RECONNECT_SECONDS: Final = 0.5
DRIP_SECONDS: Final = 1.0
BODY_CHUNK: Final = bytes(256 * 1024)
# On one machine, the attack must not win by taking the processor from the service.
NICENESS: Final = 10

Behavior = Callable[["Attack", asyncio.StreamWriter], Coroutine[Any, Any, None]]


@dataclass(frozen=True)
class Attack:
    """``connections`` clients at ``sources``, which each send ``request`` in the way of ``name``."""

    name: str
    address: tuple[str, int]
    sources: tuple[str, ...]
    connections: int
    request: bytes
    body_bytes: int = 0


@contextmanager
def running(attack: Attack) -> Iterator[None]:
    """Attack until the block ends."""
    process = multiprocessing.get_context("spawn").Process(target=run, args=(attack,), daemon=True)
    process.start()
    try:
        yield
    finally:
        process.kill()
        process.join()


def run(attack: Attack) -> None:
    os.nice(NICENESS)
    asyncio.run(_attack(attack))


async def _attack(attack: Attack) -> None:
    async with asyncio.TaskGroup() as group:
        for number in range(attack.connections):
            source = attack.sources[number % len(attack.sources)]
            group.create_task(_keep_attacking(attack, source))


async def _keep_attacking(attack: Attack, source: str) -> None:
    while True:
        # Whatever the service does about a connection, the attacker opens another one.
        with suppress(OSError, asyncio.IncompleteReadError):
            _, writer = await asyncio.open_connection(
                *attack.address, local_addr=(source, 0), limit=1
            )
            try:
                await BEHAVIORS[attack.name](attack, writer)
            finally:
                writer.transport.abort()
        await asyncio.sleep(RECONNECT_SECONDS)


async def read_nothing(attack: Attack, writer: asyncio.StreamWriter) -> None:
    """Send many requests at once and read no response."""
    transport: Any = writer.transport
    transport.pause_reading()
    writer.write(attack.request * PIPELINED)
    await _wait_for_end(writer)


async def drip_head(attack: Attack, writer: asyncio.StreamWriter) -> None:
    """Send the request byte by byte, and never its end."""
    for byte in attack.request[:-2]:
        writer.write(bytes([byte]))
        await writer.drain()
        await asyncio.sleep(DRIP_SECONDS)
    await _wait_for_end(writer)


async def drip_body(attack: Attack, writer: asyncio.StreamWriter) -> None:
    """Send the head of the request, and its body byte by byte."""
    writer.write(attack.request)
    while True:
        writer.write(b"x")
        await writer.drain()
        await asyncio.sleep(DRIP_SECONDS)


async def flood_body(attack: Attack, writer: asyncio.StreamWriter) -> None:
    """Send a large body as fast as the service takes it."""
    writer.write(attack.request)
    for _ in range(attack.body_bytes // len(BODY_CHUNK)):
        writer.write(BODY_CHUNK)
        await writer.drain()
    await _wait_for_end(writer)


async def _wait_for_end(writer: asyncio.StreamWriter) -> None:
    while not writer.transport.is_closing():
        await asyncio.sleep(DRIP_SECONDS)
        # A reset is noticed only by writing.
        writer.write(b"\r\n")
        await asyncio.wait_for(writer.drain(), DRIP_SECONDS)


BEHAVIORS: Final[Mapping[str, Behavior]] = {
    "read_nothing": read_nothing,
    "drip_head": drip_head,
    "drip_body": drip_body,
    "flood_body": flood_body,
}
