"""Every upload ends ready and exactly once, or failed with a reason and its original."""

import os
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from threading import Lock
from typing import Any

import obstore
import pytest
from procrastinate.contrib.django.models import ProcrastinateJob
from pytest_django.fixtures import Settings

from tests.support.case import Case
from tests.support.personas import Personas
from tests.support.recording_uploads import (
    RecordedRepository,
    run,
    upload_recording,
)
from tests.support.videos import playwright_video, truncate, video
from visual_review.audit.models import AuditEntry
from visual_review.jobs.recordings.process_recording import (
    ATTEMPTS,
    MAX_INTERRUPTIONS,
    REPAIRED_WITHIN,
)
from visual_review.jobs.recordings.resume_recordings import LOST_AFTER, resume_lost_recordings
from visual_review.jobs.recordings.sweep_recordings import sweep_recordings
from visual_review.kernel.blobs import blob_store
from visual_review.kernel.clock import now
from visual_review.kernel.errors import StorageFullError, UnavailableError
from visual_review.kernel.queue import QUEUES
from visual_review.recordings.blob_keys import incoming_folder, stored_folder
from visual_review.recordings.models import Recording
from visual_review.recordings.processing import UploadBrokenError, assemble
from visual_review.recordings.removal import sweep_stored

TRACE = {"trace.zip": b"PK\x03\x04trace"}


@pytest.fixture(autouse=True)
def work_folder(tmp_path: Path, settings: Settings) -> Path:
    folder = tmp_path / "work"
    settings.WORK_FOLDER = str(folder)
    return folder


@pytest.fixture
def repository(personas: Personas) -> RecordedRepository:
    return RecordedRepository.of(personas.alice)


@pytest.fixture
def recording(personas: Personas) -> Recording:
    """A recording before processing."""
    return upload_recording(personas.alice, video())


def stored(recording: Recording) -> set[str]:
    """Return the names of the recording's stored files."""
    folder = stored_folder(recording.repository.organization_id, recording.id)
    return {key.rpartition("/")[2] for key in blob_store().keys(folder)}


def left_uploads(recording: Recording) -> list[str]:
    folder = incoming_folder(recording.repository.organization_id, recording.id)
    return list(blob_store().keys(folder))


def test_a_video_becomes_ready_as_it_was_recorded_with_attachments(
    repository: RecordedRepository, work_folder: Path
) -> None:
    recording = repository.ready(playwright_video(), TRACE)
    attachment = recording.attachments.get()
    assert (recording.status, recording.failure) == ("ready", "")
    assert (recording.duration_ms, recording.width, recording.height) == (None, 64, 48)
    assert stored(recording) == {"original.webm", f"{attachment.id}.zip"}
    assert attachment.stored_at is not None
    assert recording.finished_at is not None
    assert left_uploads(recording) == []
    assert list(work_folder.iterdir()) == []
    assert AuditEntry.objects.filter(verb="recording.ready", target_id=recording.id).count() == 1


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "empty"),
        (truncate(video()), "truncated"),
        (video(form="avi", codec="mpeg4"), "ffmpeg -i"),
        (playwright_video(times=[]), "0 seconds"),
    ],
    ids=["empty", "truncated", "mislabeled", "0 seconds"],
)
def test_a_broken_video_fails_with_the_reason_and_keeps_its_original(
    repository: RecordedRepository, data: bytes, reason: str
) -> None:
    recording = repository.ready(data, TRACE)
    assert recording.status == "failed"
    assert reason in recording.failure
    assert "original.webm" in stored(recording)
    folder = stored_folder(recording.repository.organization_id, recording.id)
    assert blob_store().get(f"{folder}/original.webm") == data
    assert recording.attachments.get().stored_at is not None
    assert left_uploads(recording) == []


def test_damaged_bytes_fail_and_the_same_key_starts_over(repository: RecordedRepository) -> None:
    data = video()
    body = repository.recorder.request_body(data)
    announced = repository.recorder.announce(body)
    repository.recorder.send(announced, data[:-1] + b"?")
    repository.recorder.finish(announced["id"])
    recording = Recording.objects.get(pk=announced["id"])
    run(recording)
    recording.refresh_from_db()
    assert recording.status == "failed"
    assert "announced hash" in recording.failure
    assert stored(recording) == set()
    repository.recorder.send(repository.recorder.announce(body), data)
    assert repository.recorder.finish(announced["id"]).status_code == 200
    run(recording)
    recording.refresh_from_db()
    assert (recording.status, recording.failure) == ("ready", "")


def test_unannounced_bytes_do_not_fill_the_disk(recording: Recording, tmp_path: Path) -> None:
    (part,) = left_uploads(recording)
    blob_store().delete([part])
    # An S3 URL still accepts a part after the upload was finished.
    blob_store().put(part, bytes(64 * 1024 * 1024))
    with (tmp_path / "joined").open("wb") as joined:
        with pytest.raises(UploadBrokenError, match="More bytes were uploaded"):
            assemble(recording, blob_store(), joined)
        assert joined.tell() < 32 * 1024 * 1024
    run(recording)
    recording.refresh_from_db()
    assert recording.failure.startswith("More bytes were uploaded than the")
    assert left_uploads(recording) == []


def test_a_damaged_attachment_does_not_fail_the_video(repository: RecordedRepository) -> None:
    data = video()
    attachment = {"name": "trace.zip", "size": 3, "sha256": "0" * 64}
    announced = repository.recorder.announce(
        repository.recorder.request_body(data, attachments=[attachment])
    )
    repository.recorder.send(announced, data, {"trace.zip": b"zip"})
    repository.recorder.finish(announced["id"])
    recording = Recording.objects.get(pk=announced["id"])
    run(recording)
    recording.refresh_from_db()
    assert recording.status == "ready"
    assert "announced hash" in recording.attachments.get().failure


class KilledError(BaseException):
    """Simulates a killed worker: no code catches it."""


STEPS = ("get", "put", "head", "list", "delete")


def count_steps(
    monkeypatch: pytest.MonkeyPatch, cut_at: int | None = None, *, after: bool = False
) -> list[str]:
    """Count the calls to the storage; the process "dies" before or after one of the calls."""
    made: list[str] = []
    lock = Lock()

    def counted(name: str, call: Callable[..., Any]) -> Callable[..., Any]:
        def wrapper(*args: object, **more: object) -> object:
            # Several blobs are deleted at once.
            with lock:
                made.append(name)
                is_last = len(made) == cut_at
            if is_last and not after:
                raise KilledError
            try:
                return call(*args, **more)
            finally:
                if is_last:
                    raise KilledError

        return wrapper

    for name in STEPS:
        monkeypatch.setattr(obstore, name, counted(name, getattr(obstore, name)))
    # The content of a folder is written before the sync, and gets its name only afterwards.
    monkeypatch.setattr(os, "fsync", counted("fsync", os.fsync))
    return made


def test_a_job_killed_at_any_step_ends_ready_exactly_once(
    personas: Personas, case: Case, monkeypatch: pytest.MonkeyPatch
) -> None:
    with case("not killed"), monkeypatch.context() as patch:
        recording = upload_recording(personas.alice, video(), TRACE)
        steps = count_steps(patch)
        run(recording)
    assert set(steps) == {"get", "head", "fsync", "list", "delete"}
    for number, step in enumerate(steps, 1):
        with case(f"killed at step {number}: {step}"):
            recording = upload_recording(personas.alice, video(), TRACE)
            with monkeypatch.context() as patch:
                count_steps(patch, number, after=number % 2 == 0)
                with pytest.raises(KilledError):
                    run(recording)
            run(recording, attempts=1)
            sweep_recordings(0)
            recording.refresh_from_db()
            assert recording.status == "ready"
            assert len(stored(recording)) == 2
            assert left_uploads(recording) == []


def test_a_recording_deleted_while_it_is_processed_leaves_nothing(
    personas: Personas, monkeypatch: pytest.MonkeyPatch
) -> None:
    recording = upload_recording(personas.alice, video(), TRACE)
    with monkeypatch.context() as patch:
        count_steps(patch, 6)
        with pytest.raises(KilledError):
            run(recording)
    assert stored(recording)
    Recording.objects.update(deleted_at=now())
    run(recording, attempts=1)
    assert stored(recording) == set()


def test_a_video_that_kills_every_worker_fails_in_the_end(recording: Recording) -> None:
    run(recording, attempts=MAX_INTERRUPTIONS)
    recording.refresh_from_db()
    assert recording.status == "failed"
    assert "was killed" in recording.failure


def test_unavailable_storage_loses_no_upload_for_a_day(
    recording: Recording, blobs_folder: Path
) -> None:
    broken = blobs_folder / "recordings"
    broken.write_bytes(b"no folder")
    for attempts in (0, ATTEMPTS - 1):
        with pytest.raises(UnavailableError, match="storage failed to"):
            run(recording, attempts)
    recording.refresh_from_db()
    assert recording.status == "processing"
    quiet(recording)
    ProcrastinateJob.objects.all()._raw_delete("default")  # noqa: SLF001 - The model is read-only.
    assert resume_lost_recordings() == 1
    broken.unlink()
    run(recording)
    recording.refresh_from_db()
    assert recording.status == "ready"


def test_storage_that_stays_unavailable_fails_the_recording_with_a_reason(
    recording: Recording, blobs_folder: Path
) -> None:
    Recording.objects.update(last_upload_at=now() - REPAIRED_WITHIN)
    (blobs_folder / "recordings").write_bytes(b"no folder")
    with pytest.raises(UnavailableError, match="storage failed to"):
        run(recording)
    run(recording, attempts=ATTEMPTS - 1)
    recording.refresh_from_db()
    assert recording.status == "failed"
    assert "The storage failed to" in recording.failure


def test_a_video_waits_while_the_work_disk_is_full(recording: Recording) -> None:
    Recording.objects.update(size=2**52)
    with pytest.raises(StorageFullError, match="enough free space"):
        run(recording)
    Recording.objects.update(size=recording.size)
    run(recording)
    recording.refresh_from_db()
    assert recording.status == "ready"


@pytest.mark.usefixtures("recording")
def test_builds_are_processed_before_waiting_videos() -> None:
    job = ProcrastinateJob.objects.get(task_name="process_recording")
    assert job.priority < QUEUES["process_build"].priority
    assert job.queue_name == "recordings"


def quiet(recording: Recording) -> None:
    long_ago = now() - 2 * LOST_AFTER
    Recording.objects.filter(pk=recording.pk).update(last_upload_at=long_ago)


def test_a_lost_processing_job_is_queued_again(recording: Recording) -> None:
    quiet(recording)
    assert resume_lost_recordings() == 0
    ProcrastinateJob.objects.all()._raw_delete("default")  # noqa: SLF001 - The model is read-only.
    assert resume_lost_recordings() == 1
    waiting = ProcrastinateJob.objects.filter(task_name="process_recording", status="todo")
    assert waiting.get().args["recording_id"] == recording.id


def test_an_unfinished_upload_fails_and_its_parts_are_deleted(
    repository: RecordedRepository, settings: Settings
) -> None:
    data = video()
    announced = repository.recorder.announce(repository.recorder.request_body(data))
    repository.recorder.send(announced, data)
    recording = Recording.objects.get(pk=announced["id"])
    sweep_recordings(0)
    assert left_uploads(recording)
    seconds = settings.UPLOAD_EXPIRY_SECONDS + 1
    Recording.objects.update(last_upload_at=now() - timedelta(seconds=seconds))
    sweep_recordings(0)
    recording.refresh_from_db()
    assert recording.failure.startswith("The upload never finished")
    assert left_uploads(recording) == []
    assert AuditEntry.objects.filter(verb="recording.failed").count() == 1


def test_files_of_deleted_recordings_are_deleted(repository: RecordedRepository) -> None:
    kept, gone = repository.ready(video()), repository.ready(video())
    Recording.objects.filter(pk=gone.pk).delete()
    assert sweep_stored(blob_store()) == 1
    assert (stored(gone), len(stored(kept))) == (set(), 1)
