"""list_recordings, get_recording and delete_recording."""

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.db import OperationalError, connection, transaction
from django.test import Client
from django.test.utils import CaptureQueriesContext
from procrastinate.contrib.django.models import ProcrastinateJob
from pytest_django.fixtures import Settings

from tests.support.action_calls import act, error_of, only_entry
from tests.support.pages import path_of
from tests.support.personas import Personas
from tests.support.recording_rows import record
from tests.support.recording_uploads import (
    TEST,
    RecordedRepository,
    process_uploaded_recording,
)
from tests.support.threads import racers
from tests.support.videos import truncate, video
from tests.support.worlds import World
from visual_review.audit.models import AuditEntry
from visual_review.jobs.recordings.delete_recording import delete_recording
from visual_review.jobs.recordings.resume_recordings import LOST_AFTER, resume_lost_recordings
from visual_review.kernel.clock import now
from visual_review.kernel.errors import ForbiddenError, NotFoundError
from visual_review.recordings.models import Attachment, LinkedTest, Recording
from visual_review.repositories.models import Product, Repository

STEPS = [
    {"title": "Open the cart", "startMs": 0, "durationMs": 120, "storyId": "cart--full"},
    {"title": "Pay", "startMs": 120, "durationMs": 0},
]
TRACE = {"trace.zip": b"PK\x03\x04trace"}


@pytest.fixture(autouse=True)
def work_folder(settings: Settings, tmp_path: Path) -> None:
    settings.WORK_FOLDER = str(tmp_path / "work")


@pytest.fixture
def repository(personas: Personas) -> RecordedRepository:
    return RecordedRepository.of(personas.alice)


@pytest.fixture
def recording(personas: Personas) -> Recording:
    """A recording whose job has run."""
    return process_uploaded_recording(personas.alice, video(), TRACE)


def listed(world: World, **payload: object) -> list[str]:
    result = act(world.persona, "list_recordings", repoId=world.repository.id, **payload)
    return [row.title for row in result.recordings]


def test_recordings_are_listed_newest_first_of_one_product_or_of_all(world: World) -> None:
    # Read first: IDs created within the same millisecond have no order.
    first = Product.objects.get(repository=world.repository)
    other = Product.objects.create(repository=world.repository, key="admin")
    for number, product in enumerate([first, other, first]):
        made = record(world.repository, f"test {number}", product=product)
        moment = now() + timedelta(minutes=number)
        Recording.objects.filter(pk=made.pk).update(created_at=moment)
    assert listed(world) == ["test 2", "test 1", "test 0"]
    assert listed(world, productKey="admin") == ["test 1"]
    error_of(
        NotFoundError,
        world.persona,
        "list_recordings",
        repoId=world.repository.id,
        productKey="nowhere",
    )


@pytest.mark.parametrize(("limit", "shown"), [(-5, 1), (0, 1), (2, 2), (9007199254740991, 3)])
def test_the_limit_is_clamped(world: World, limit: int, shown: int) -> None:
    for number in range(3):
        record(world.repository, f"test {number}")
    assert len(listed(world, limit=limit)) == shown


def test_fifty_are_listed_by_default(world: World) -> None:
    row = record(world.repository)
    facts = {"repository": row.repository, "product": row.product, "title": "x", "part_size": 8}
    Recording.objects.bulk_create(
        Recording(key=f"more-{n}", file_name="v.webm", size=1, sha256="0", **facts)
        for n in range(60)
    )
    assert len(listed(world)) == 50


def test_a_list_does_not_load_steps_or_errors(world: World) -> None:
    counts = []
    for number in range(2):
        record(world.repository, f"test {number}", error="Expected 3")
        with CaptureQueriesContext(connection) as asked:
            listed(world)
        counts.append(len(asked))
        statements = " ".join(each["sql"] for each in asked)
        assert not [
            name for name in ("steps", "error") if f'"recordings_recording"."{name}"' in statements
        ]
    assert counts[0] == counts[1]


def test_get_recording_returns_everything(
    repository: RecordedRepository, personas: Personas
) -> None:
    row = repository.ready(
        video(),
        TRACE,
        steps=STEPS,
        outcome="failed",
        error="Expected 3\nGot 4",
        retry=1,
        project="chromium",
        branch="main",
        commit="c0ffee",
    )
    full = act(personas.carol, "get_recording", recordingId=row.id).recording
    result = full.model_dump(mode="json")
    assert result["test"] == {"id": row.test_id, **TEST}
    assert result["steps"] == [STEPS[0], {**STEPS[1], "storyId": None}]
    assert (result["outcome"], result["error"], result["retry"]) == (
        "failed",
        "Expected 3\nGot 4",
        1,
    )
    assert (result["status"], result["durationMs"], result["failure"]) == ("ready", 2000, None)
    assert (result["width"], result["height"], result["project"]) == (64, 48, "chromium")
    assert (result["branch"], result["commit"], result["pullRequest"]) == ("main", "c0ffee", None)
    (attachment,) = result["attachments"]
    assert (attachment["name"], attachment["size"]) == ("trace.zip", len(TRACE["trace.zip"]))
    assert (result["posterUrl"], result["originalUrl"]) == (None, result["videoUrl"])
    files = {
        result["videoUrl"]: "video/webm",
        attachment["url"]: "application/zip",
    }
    for url, kind in files.items():
        response = Client().get(path_of(url))
        assert (response.status_code, response["Content-Type"]) == (200, kind)
        assert response["X-Content-Type-Options"] == "nosniff"
        assert response["Content-Security-Policy"].startswith("sandbox")
        assert b"".join(response)  # type: ignore[arg-type] - The file comes in pieces.


def test_a_failed_recording_has_only_its_original(
    repository: RecordedRepository, personas: Personas
) -> None:
    row = repository.ready(truncate(video()))
    full = act(personas.bob, "get_recording", recordingId=row.id).recording
    assert full.status == "failed"
    assert "truncated" in full.failure
    assert (full.video_url, full.poster_url) == (None, None)
    assert full.original_url is not None


def test_deleting_hides_immediately_and_a_job_deletes_everything(
    recording: Recording, personas: Personas, blobs_folder: Path
) -> None:
    row = recording
    AuditEntry.objects.all().delete()
    result = act(personas.alice, "delete_recording", recordingId=row.id)
    assert (result.recording_id, result.title, result.deleted) == (row.id, row.title, True)
    entry = only_entry("recording.deleted")
    assert (entry.target_kind, entry.target_id) == ("recording", row.id)
    shown = act(personas.alice, "list_recordings", repoId=row.repository_id).recordings
    assert shown == []
    for name in ("get_recording", "delete_recording"):
        error_of(NotFoundError, personas.alice, name, recordingId=row.id)
    job = ProcrastinateJob.objects.get(task_name="delete_recording")
    assert (job.args["recording_id"], job.lock) == (row.id, row.id)
    delete_recording(row.id)
    assert [path for path in blobs_folder.rglob("*") if path.is_file()] == []
    assert not Recording.objects.exists()
    assert not Attachment.objects.exists()
    assert not LinkedTest.objects.exists()


def test_an_interrupted_deletion_continues_and_a_lost_one_is_found(
    repository: RecordedRepository,
    personas: Personas,
    blobs_folder: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    row, kept = repository.ready(video(), TRACE), repository.ready(video())
    act(personas.alice, "delete_recording", recordingId=row.id)

    def killed(*_args: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(Recording, "delete", killed)
        with pytest.raises(KeyboardInterrupt):
            delete_recording(row.id)
    ProcrastinateJob.objects.all()._raw_delete("default")  # noqa: SLF001 - The model is read-only.
    assert resume_lost_recordings() == 0
    Recording.objects.filter(pk=row.id).update(deleted_at=now() - 2 * LOST_AFTER)
    assert resume_lost_recordings() == 1
    delete_recording(row.id)
    assert list(Recording.objects.all()) == [kept]
    assert all(kept.id in str(path) for path in blobs_folder.rglob("*") if path.is_file())
    assert LinkedTest.objects.count() == 1


@pytest.mark.django_db(transaction=True)
def test_announcing_waits_while_a_test_is_deleted_with_its_last_recording(
    recording: Recording, personas: Personas, monkeypatch: pytest.MonkeyPatch
) -> None:
    act(personas.alice, "delete_recording", recordingId=recording.id)
    deleted, waited = Recording.delete, []

    def watched(recording: Recording) -> object:
        with racers(1) as threads:
            waited.extend(threads.race(lambda: is_held(recording.repository_id)))
        return deleted(recording)

    with monkeypatch.context() as patch:
        patch.setattr(Recording, "delete", watched)
        delete_recording(recording.id)
    assert waited == [True]
    assert not LinkedTest.objects.exists()


def is_held(repository_id: str) -> bool:
    """Whether an announcement to the repository would have to wait."""
    locking = Repository.objects.select_for_update(no_key=True, nowait=True)
    try:
        with transaction.atomic():
            return locking.get(pk=repository_id).id != repository_id
    except OperationalError:
        return True


def test_the_job_deletes_only_hidden_recordings(recording: Recording) -> None:
    delete_recording(recording.id)
    assert Recording.objects.filter(pk=recording.id).exists()


@pytest.mark.parametrize("name", ["get_recording", "delete_recording"])
def test_another_organizations_recording_is_not_found(
    world: World, personas: Personas, name: str
) -> None:
    row = record(world.repository)
    words: set[Any] = {
        str(error_of(NotFoundError, personas.mallory, name, recordingId=recording_id))
        for recording_id in (row.id, "rec_nothing", "")
    }
    assert len(words) == 1


def test_a_reviewer_is_forbidden_to_delete(world: World, personas: Personas) -> None:
    row = record(world.repository)
    error_of(ForbiddenError, personas.bob, "delete_recording", recordingId=row.id)
