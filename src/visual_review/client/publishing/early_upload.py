"""Uploads the images of a capture during the capture.

The capture never waits for the server: images lie on disk. ``upload`` sends the rest after the
capture, and handles every error.
"""

import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from queue import Empty, SimpleQueue
from threading import Event
from typing import Final, Self

from visual_review.client.capture import Variant
from visual_review.client.publishing.build_images import BuildContents, Entry
from visual_review.client.publishing.responses import CreatedBuild, Service
from visual_review.client.publishing.upload import announce_entries, put_images
from visual_review.client.transport.errors import PublishError

# Few, because each chunk is uploaded before the next one is announced.
CHUNK: Final = 50
# Each chunk is a transaction of the server, so images are collected for a moment.
COLLECT_SECONDS: Final = 1.0
# The browser needs the processor more.
PARALLEL: Final = 3
Key = tuple[str, Variant]


class EarlyUpload:
    """Context manager: ``begin`` before the first screenshot, ``add`` each, then ``stop``.

    ``build`` is set once created. ``sent`` are the announced screenshots whose images have arrived.
    Both are complete after ``stop``.
    """

    def __init__(
        self, service: Service, shard: int, create: Callable[[BuildContents], CreatedBuild]
    ) -> None:
        self.build: CreatedBuild | None = None
        self.sent: dict[Key, Entry] = {}
        self._service = service
        self._shard = shard
        self._create = create
        self._entries: SimpleQueue[Entry | None] = SimpleQueue()
        self._stopping = Event()
        self._pool = ThreadPoolExecutor(1, "early-upload")
        self._work: Future[None] | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._end()
        # After an error or Ctrl-C, nothing waits for the server.
        self._pool.shutdown(wait=False, cancel_futures=True)

    def begin(self, contents: BuildContents) -> None:
        """Start to upload; ``contents`` has all but the entries, and ``files`` may grow."""
        self._work = self._pool.submit(self._upload, contents)

    def add(self, entry: Entry) -> None:
        self._entries.put(entry)

    def stop(self) -> None:
        """Return when all running uploads have arrived or failed."""
        self._end()
        if self._work is not None:
            # The upload of the rest meets the same problem, and reports the problem.
            with suppress(PublishError, OSError):
                self._work.result()

    def _end(self) -> None:
        self._stopping.set()
        self._entries.put(None)

    def _upload(self, contents: BuildContents) -> None:
        seconds = 0.0
        while chunk := self._next_chunk(seconds):
            if self.build is None:
                self.build = self._create(contents)
            if self.build.status != "uploading":
                return
            uploads = announce_entries(self._service, self.build, chunk, contents, self._shard)
            put_images(self._service, uploads, contents, PARALLEL)
            self.sent.update(((entry.story_id, entry.variant), entry) for entry in chunk)
            seconds = COLLECT_SECONDS

    def _next_chunk(self, seconds: float) -> list[Entry]:
        """Return the entries arriving within ``seconds`` of the next entry; empty to stop."""
        # The mark of the end may have been taken with the chunk before.
        first = None if self._stopping.is_set() else self._entries.get()
        if first is None or self._stopping.is_set():
            return []
        chunk, deadline = [first], time.monotonic() + seconds
        while len(chunk) < CHUNK:
            try:
                entry = self._entries.get(timeout=max(0.0, deadline - time.monotonic()))
            except Empty:
                break
            if entry is None:
                break
            chunk.append(entry)
        return chunk
