"""Hears of new jobs by LISTEN, on one connection for all queues of a worker.

A worker looks for jobs every few seconds in any case, so the service also works without LISTEN.
"""

import asyncio
import json
import logging
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final, Never

import psycopg
from procrastinate.jobs import Notification
from procrastinate.manager import NotificationCallback, get_channel_for_queues
from psycopg import sql

from visual_review.config.environment import DIRECT_DATABASE_URL
from visual_review.config.logs import mask

RECONNECT_SECONDS: Final = 10.0
# A silently lost connection is noticed after this time.
CHECK_SECONDS: Final = 30.0

logger = logging.getLogger(__name__)


@dataclass
class JobListener:
    """One connection to ``url``, which must lead to PostgreSQL itself."""

    url: str
    queues: Sequence[str]
    _callbacks: dict[str, NotificationCallback] = field(default_factory=dict)

    async def notify(
        self, on_notification: NotificationCallback, queues: Iterable[str] | None
    ) -> Never:
        """Call ``on_notification`` for new jobs of the queues until canceled."""
        self._callbacks.update(dict.fromkeys(get_channel_for_queues(queues), on_notification))
        await asyncio.Event().wait()
        raise AssertionError  # No one sets the event.

    async def run(self) -> None:
        """Listen until canceled; returns if a connection pooler is in between."""
        while True:
            try:
                if not await self._listen():
                    return
            except psycopg.Error as error:
                logger.warning("new jobs are found by polling: %s", mask(str(error)))
            await asyncio.sleep(RECONNECT_SECONDS)

    async def _listen(self) -> bool:
        async with await psycopg.AsyncConnection.connect(self.url, autocommit=True) as connection:
            if await _is_pooled(connection):
                logger.warning(
                    "new jobs are found by polling, since a connection pooler is in front of the "
                    "database. Set %s to the URL of PostgreSQL itself to find them at once.",
                    DIRECT_DATABASE_URL,
                )
                return False
            for channel in get_channel_for_queues(self.queues):
                await connection.execute(sql.SQL("LISTEN {}").format(sql.Identifier(channel)))
            while True:
                async for notification in connection.notifies(timeout=CHECK_SECONDS):
                    await self._call(notification.channel, json.loads(notification.payload))
                await connection.execute("SELECT 1")

    async def _call(self, channel: str, notification: Notification) -> None:
        # A queue looks for jobs when the queue starts.
        if callback := self._callbacks.get(channel):
            await callback(channel=channel, notification=notification)


async def _is_pooled(connection: psycopg.AsyncConnection) -> bool:
    """Whether the connection is served by another process than the one named at the beginning."""
    cursor = await connection.execute("SELECT pg_backend_pid()")
    row = await cursor.fetchone()
    return row is None or row[0] != connection.info.backend_pid
