"""Wakes the watchers of a build when the build changes: one query a second for all builds.

Used from one event loop only. A stream holds no thread and no database connection.
"""

import asyncio
import logging
import resource
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Final

from django.db import Error

from visual_review.config.http.threads import RequestThreads
from visual_review.web.server_events import StreamReader

POLL_SECONDS: Final = 1.0
# The client name of the query for all streams, so the query waits for no other client.
CLIENT: Final = "events"
# A person has a few windows; the page closes the stream of a hidden one.
MAX_OF_PERSON: Final = 12
MAX_STREAMS: Final = 1000
# One stream for this many files of the process's limit; other requests need files, too.
FILES_PER_STREAM: Final = 8

ReadCursors = Callable[[Sequence[str]], Mapping[str, object]]
logger = logging.getLogger(__name__)


def most_streams() -> int:
    """Return how many streams leave enough connections to other requests."""
    files, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return (
        MAX_STREAMS
        if files == resource.RLIM_INFINITY
        else min(MAX_STREAMS, files // FILES_PER_STREAM)
    )


class TooManyStreamsError(Exception):
    """The person, or all together, have as many streams open as are allowed."""


class EventStream:
    """One reader's view of a build. Only the newest cursor counts, so nothing piles up."""

    def __init__(self, reader: StreamReader) -> None:
        self.reader = reader
        self.woken = asyncio.Event()
        self.ended = False
        self._sent = self._newest = reader.cursor

    def notify(self, cursor: object) -> None:
        """Note the build's cursor; None ends the stream, since the build is gone."""
        if cursor is None:
            self.end()
        elif str(cursor) != self._newest:
            self._newest = str(cursor)
            self.woken.set()

    def end(self) -> None:
        self.ended = True
        self.woken.set()

    def take(self) -> str | None:
        """Return the cursor to send next, or None if the reader has the newest."""
        self.woken.clear()
        if self._newest == self._sent:
            return None
        self._sent = self._newest
        return self._sent


class EventHub:
    """All open streams of a process; at most ``most`` at a time."""

    def __init__(
        self, read_cursors: ReadCursors, threads: RequestThreads, most: int = MAX_STREAMS
    ) -> None:
        self._read_cursors = read_cursors
        self._most = most
        self._threads = threads
        self._streams: dict[EventStream, None] = {}
        self._of_person: Counter[str] = Counter()
        self._watching: asyncio.Task[None] | None = None

    def open(self, reader: StreamReader) -> EventStream:
        """Return a new stream for the caller to close; raises TooManyStreamsError."""
        too_many = self._of_person[reader.person] >= MAX_OF_PERSON
        if too_many or len(self._streams) >= self._most:
            raise TooManyStreamsError
        stream = EventStream(reader)
        self._streams[stream] = None
        self._of_person[reader.person] += 1
        if self._watching is None or self._watching.done():
            self._watching = asyncio.create_task(self._watch())
        return stream

    def close(self, stream: EventStream) -> None:
        del self._streams[stream]
        self._of_person[stream.reader.person] -= 1
        if not self._of_person[stream.reader.person]:
            del self._of_person[stream.reader.person]

    def end_all(self) -> None:
        """End all streams, since the process is about to end."""
        for stream in self._streams:
            stream.end()

    def stop(self) -> None:
        """Stop watching; the streams have ended by then."""
        if self._watching is not None:
            self._watching.cancel()

    async def _watch(self) -> None:
        while self._streams:
            await asyncio.sleep(POLL_SECONDS)
            builds = sorted({stream.reader.build for stream in self._streams})
            try:
                cursors = await self._threads.run(CLIENT, partial(self._read_cursors, builds))
            except Error as error:
                # Streams stay open while the database restarts.
                logger.warning("the changes of builds could not be read: %s", error)
                continue
            for stream in self._streams:
                # A stream opened meanwhile may be of another build.
                if stream.reader.build in builds:
                    stream.notify(cursors.get(stream.reader.build))
