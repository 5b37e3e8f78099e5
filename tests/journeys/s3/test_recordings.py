"""Recordings with the bytes in S3: parts go there directly, and players read from there."""

from pathlib import Path

import httpx
import pytest
from pytest_django.fixtures import Settings

from tests.support.action_calls import act
from tests.support.ci.publish_client import problem_of
from tests.support.personas import Personas
from tests.support.recording_uploads import RecordedRepository, run
from tests.support.servers.s3 import S3Server
from tests.support.videos import playwright_video
from visual_review.jobs.recordings.delete_recording import delete_recording
from visual_review.kernel.blobs import blob_store
from visual_review.recordings.blob_files import put_file
from visual_review.recordings.models import Recording

SECONDS = 60


@pytest.fixture
def recorded(
    personas: Personas, bucket: str, settings: Settings, tmp_path: Path
) -> RecordedRepository:
    assert bucket
    settings.WORK_FOLDER = str(tmp_path / "work")
    return RecordedRepository.of(personas.alice)


def test_a_recording_goes_to_the_storage_and_comes_from_it(
    recorded: RecordedRepository,
    s3: S3Server,
    bucket: str,
    personas: Personas,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("visual_review.recordings.announce.PART_SIZE", 2048)
    data = playwright_video()
    body = recorded.recorder.request_body(data)
    parts = recorded.recorder.announce(body)["missingParts"]
    assert len(parts) > 1
    assert all(part["url"].startswith(s3.endpoint) for part in parts)
    for part in parts:
        piece = data[part["offset"] : part["offset"] + part["size"]]
        short = httpx.put(part["url"], content=piece[:-1], timeout=SECONDS)
        assert short.status_code == 403
        if part["number"] > 1:
            httpx.put(part["url"], content=piece, timeout=SECONDS).raise_for_status()
    again = recorded.recorder.announce(body)
    assert [part["number"] for part in again["missingParts"]] == [1]
    refusal = problem_of(recorded.recorder.finish(again["id"]), 409)
    assert refusal["missing"] == {"parts": [1], "attachments": []}
    httpx.put(
        again["missingParts"][0]["url"], content=data[:2048], timeout=SECONDS
    ).raise_for_status()
    assert recorded.recorder.finish(again["id"]).status_code == 200
    recording = Recording.objects.get(pk=again["id"])
    run(recording)
    full = act(personas.carol, "get_recording", recordingId=recording.id).recording
    assert full.status == "ready", full.failure
    answer = httpx.get(full.video_url, headers={"Range": "bytes=0-3"}, timeout=SECONDS)
    assert (answer.status_code, answer.content) == (206, b"\x1a\x45\xdf\xa3")
    assert answer.headers["Content-Type"] == "video/webm"
    assert httpx.get(full.original_url, timeout=SECONDS).content == data
    act(personas.alice, "delete_recording", recordingId=recording.id)
    delete_recording(recording.id)
    assert s3.keys(bucket) == []


@pytest.mark.usefixtures("bucket")
def test_a_large_file_goes_to_the_storage_in_pieces(tmp_path: Path) -> None:
    path = tmp_path / "video.webm"
    data = bytes(range(256)) * 50_000
    path.write_bytes(data)
    with path.open("rb") as file:
        put_file(blob_store(), "recordings/large/video.webm", file, "video/webm")
    assert blob_store().get("recordings/large/video.webm") == data
    blob_store().delete(["recordings/large/video.webm"])
