"""Sends videos in parts, several at once; what arrived before is not sent again."""

from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from http import HTTPStatus
from typing import Final

from visual_review.client.recordings.api import (
    FAILED,
    WAITS_FOR_FILES,
    Announced,
    RecordingService,
    State,
)
from visual_review.client.recordings.files import content_type_of
from visual_review.client.recordings.found_videos import Video
from visual_review.client.recordings.upload_files import Announcement, Origin, announcement
from visual_review.client.reporter import Reporter
from visual_review.client.transport.connection import FilePart
from visual_review.client.transport.errors import (
    ConflictError,
    InputError,
    ServiceError,
    UploadUrlError,
)

# Together fewer than the connections there are.
VIDEOS_AT_ONCE: Final = 3
PARTS_AT_ONCE: Final = 4
# An address may end while a slow line works off a video, hence more than one round.
ROUNDS: Final = 8
# About this one recording; any other refusal would be the same for the next one.
OF_ONE: Final = frozenset(
    {HTTPStatus.BAD_REQUEST, HTTPStatus.CONFLICT, HTTPStatus.REQUEST_ENTITY_TOO_LARGE}
)


@dataclass(frozen=True, slots=True)
class Sent:
    """What came of one video: its state on the server, or the error why it is not there."""

    video: Video
    state: State | None = None
    known_before: bool = False
    error: str = ""

    @property
    def failed(self) -> bool:
        return self.state is None or self.state.status == FAILED

    @property
    def reason(self) -> str:
        return self.state.failure if self.state else self.error


def upload_all(
    service: RecordingService, videos: Sequence[Video], origin: Origin, reporter: Reporter
) -> list[Sent]:
    """Upload each video, in their order. Raises ServiceError for what would stop all of them."""
    reporter.begin("Uploading recordings", len(videos))
    pool = ThreadPoolExecutor(VIDEOS_AT_ONCE, thread_name_prefix="recording")
    try:
        futures = {
            pool.submit(_sent, service, video, origin): place for place, video in enumerate(videos)
        }
        sent: dict[int, Sent] = {}
        for future in as_completed(futures):
            sent[futures[future]] = future.result()
            reporter.advance()
        return [sent[place] for place in sorted(sent)]
    finally:
        # After an error or Ctrl-C nobody waits for what has not begun.
        pool.shutdown(wait=False, cancel_futures=True)
        reporter.end()


def _sent(service: RecordingService, video: Video, origin: Origin) -> Sent:
    try:
        return _upload(service, video, origin)
    except (InputError, OSError) as error:
        return Sent(video, error=str(error))
    except ServiceError as error:
        if error.status not in OF_ONE:
            raise
        return Sent(video, error=str(error))


def _upload(service: RecordingService, video: Video, origin: Origin) -> Sent:
    told = announcement(video, origin)
    announced = service.announce(told.body)
    known_before = announced.state.status != WAITS_FOR_FILES
    for _ in range(ROUNDS):
        if announced.state.status != WAITS_FOR_FILES:
            return Sent(video, announced.state, known_before)
        _put_files(service, video, told, announced)
        try:
            return Sent(video, service.finish(announced.state.id))
        except ConflictError as error:
            if not error.missing:
                raise
        # With new addresses, for what did not arrive.
        announced = service.announce(told.body)
    raise InputError(
        f"{video.path} did not arrive in {ROUNDS} rounds. Run the same command again; if it stays "
        "so, look at the server's storage."
    )


def _put_files(
    service: RecordingService, video: Video, told: Announcement, announced: Announced
) -> None:
    kind = content_type_of(video.path)
    files = [
        (part.url, FilePart(video.path, kind, part.offset, part.size)) for part in announced.parts
    ]
    for name, url in announced.attachments.items():
        each = told.files.get(name)
        if each is None:
            raise ServiceError(f"The server asks for the file {name}, which was not announced.")
        files.append((url, FilePart.whole(each.path, each.content_type)))
    _put_each(service, files, f"a part of {video.path.name}")


def _put_each(service: RecordingService, files: Iterable[tuple[str, FilePart]], what: str) -> None:
    def put(url: str, part: FilePart) -> None:
        try:
            service.put(url, part, what)
        except UploadUrlError:
            # The next round asks for a new address; finish tells that the part is missing.
            return

    pool = ThreadPoolExecutor(PARTS_AT_ONCE, thread_name_prefix="part")
    try:
        for future in as_completed([pool.submit(put, url, part) for url, part in files]):
            future.result()
    finally:
        pool.shutdown(wait=False, cancel_futures=True)
