"""Uploads videos in parts, several in parallel; parts on the server are not uploaded again."""

import time
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass, replace
from http import HTTPStatus
from typing import Any, Final

from visual_review.client.progress import Reporter
from visual_review.client.recordings.files import guess_content_type
from visual_review.client.recordings.found_videos import Video
from visual_review.client.recordings.upload_files import Announcement, Origin, make_announcement
from visual_review.client.transport.connection import Connection, FilePart
from visual_review.client.transport.errors import (
    ConflictError,
    InputError,
    ServiceError,
    UploadUrlError,
    expect_schema,
)

UPLOADING: Final = "uploading"
UNFINISHED: Final = frozenset({"uploading", "processing"})
FAILED: Final = "failed"
FIRST_PAUSE: Final = 0.3
LONGEST_PAUSE: Final = 5.0
GROWTH: Final = 1.3
# Together fewer than the connections of the client.
VIDEOS_AT_ONCE: Final = 3
PARTS_AT_ONCE: Final = 4
# URLs may expire while a slow connection uploads a video, so more than one round.
ROUNDS: Final = 8
# Errors of a single recording; any other error would occur for the next one, too.
RECORDING_ERRORS: Final = frozenset(
    {HTTPStatus.BAD_REQUEST, HTTPStatus.CONFLICT, HTTPStatus.REQUEST_ENTITY_TOO_LARGE}
)


@dataclass(frozen=True, slots=True)
class RecordingState:
    """Status of a recording; ``failure`` says why the video cannot be watched."""

    id: str
    status: str
    failure: str
    url: str


@dataclass(frozen=True, slots=True)
class Part:
    """Bytes ``offset`` to ``offset + size`` of the video, and their upload URL."""

    offset: int
    size: int
    url: str


@dataclass(frozen=True, slots=True)
class AnnouncedRecording:
    """An announced recording with only the missing parts; ``attachments`` are upload URLs by name."""

    state: RecordingState
    parts: tuple[Part, ...]
    attachments: Mapping[str, str]


class RecordingService(Connection):
    """Recordings and their files."""

    def announce(self, body: Mapping[str, Any]) -> AnnouncedRecording:
        """Announce a recording; a repeated call returns the parts still missing."""
        return read_announced(self.call("POST", "recordings", json=body))

    def finish(self, recording_id: str) -> RecordingState:
        """Finish the upload. Raises ConflictError with ``missing`` if files are missing."""
        return read_state(self.call("POST", f"recordings/{recording_id}/finish", json={}))

    def state(self, recording_id: str) -> RecordingState:
        return read_state(self.call("GET", f"recordings/{recording_id}"))


def read_announced(body: Mapping[str, Any]) -> AnnouncedRecording:
    with expect_schema("new recording"):
        return AnnouncedRecording(
            read_state(body),
            tuple(
                Part(int(part["offset"]), int(part["size"]), str(part["url"]))
                for part in body["missingParts"]
            ),
            {str(each["name"]): str(each["url"]) for each in body["missingAttachments"]},
        )


def read_state(body: Mapping[str, Any]) -> RecordingState:
    with expect_schema("state of the recording"):
        return RecordingState(
            str(body["id"]),
            str(body["status"]),
            str(body.get("failure") or ""),
            str(body["url"]),
        )


@dataclass(frozen=True, slots=True)
class UploadResult:
    """The result for one video: the state on the server, or the upload error."""

    video: Video
    state: RecordingState | None = None
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
) -> list[UploadResult]:
    """Upload the videos, in their order. Raises ServiceError for errors affecting all videos."""
    reporter.begin("Uploading recordings", len(videos))
    pool = ThreadPoolExecutor(VIDEOS_AT_ONCE, thread_name_prefix="recording")
    try:
        futures = {
            pool.submit(_upload_one, service, video, origin): index
            for index, video in enumerate(videos)
        }
        results: dict[int, UploadResult] = {}
        for future in as_completed(futures):
            results[futures[future]] = future.result()
            reporter.advance()
        return [results[index] for index in sorted(results)]
    finally:
        # After an error or Ctrl-C, waiting uploads are canceled.
        pool.shutdown(wait=False, cancel_futures=True)
        reporter.end()


def _upload_one(service: RecordingService, video: Video, origin: Origin) -> UploadResult:
    try:
        return _upload(service, video, origin)
    except (InputError, OSError) as error:
        return UploadResult(video, error=str(error))
    except ServiceError as error:
        if error.status not in RECORDING_ERRORS:
            raise
        return UploadResult(video, error=str(error))


def _upload(service: RecordingService, video: Video, origin: Origin) -> UploadResult:
    announcement = make_announcement(video, origin)
    announced = service.announce(announcement.body)
    known_before = announced.state.status != UPLOADING
    for _ in range(ROUNDS):
        if announced.state.status != UPLOADING:
            return UploadResult(video, announced.state, known_before)
        _put_files(service, video, announcement, announced)
        try:
            return UploadResult(video, service.finish(announced.state.id))
        except ConflictError as error:
            if not error.missing:
                raise
        # Returns new URLs for the missing parts.
        announced = service.announce(announcement.body)
    raise InputError(
        f"{video.path} did not arrive in {ROUNDS} attempts. Run the same command again; if that "
        "does not help, check the server's storage."
    )


def _put_files(
    service: RecordingService,
    video: Video,
    announcement: Announcement,
    announced: AnnouncedRecording,
) -> None:
    kind = guess_content_type(video.path)
    files = [
        (part.url, FilePart(video.path, kind, part.offset, part.size)) for part in announced.parts
    ]
    for name, url in announced.attachments.items():
        attachment = announcement.files.get(name)
        if attachment is None:
            raise ServiceError(f"The server requested the file {name}, which was not announced.")
        files.append((url, FilePart.whole(attachment.path, attachment.content_type)))
    _put_in_parallel(service, files, f"a part of {video.path.name}")


def _put_in_parallel(
    service: RecordingService, files: Iterable[tuple[str, FilePart]], what: str
) -> None:
    def put(url: str, part: FilePart) -> None:
        try:
            service.put(url, part, what)
        except UploadUrlError:
            # The next round gets a new URL, because finish reports the part as missing.
            return

    pool = ThreadPoolExecutor(PARTS_AT_ONCE, thread_name_prefix="part")
    try:
        for future in as_completed([pool.submit(put, url, part) for url, part in files]):
            future.result()
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


def wait_for_all(
    service: RecordingService, uploaded: Sequence[UploadResult], seconds: float, reporter: Reporter
) -> list[UploadResult]:
    """Return the final results; results not processed after ``seconds`` stay unchanged."""
    deadline = time.monotonic() + seconds
    results = list(uploaded)
    pause = FIRST_PAUSE
    reporter.note("Waiting until the recordings are ready.")
    while time.monotonic() < deadline:
        waiting = [index for index, result in enumerate(results) if _is_waiting(result)]
        if not waiting:
            return results
        time.sleep(min(pause, max(0.0, deadline - time.monotonic())))
        pause = min(pause * GROWTH, LONGEST_PAUSE)
        for index in waiting:
            results[index] = _refresh(service, results[index])
    reporter.note(
        f"Some were not ready after {seconds:g} seconds; the server continues to process them."
    )
    return results


def _is_waiting(result: UploadResult) -> bool:
    return result.state is not None and result.state.status in UNFINISHED


def _refresh(service: RecordingService, result: UploadResult) -> UploadResult:
    return replace(result, state=service.state(result.state.id)) if result.state else result
