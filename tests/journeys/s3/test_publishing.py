"""Images and recordings with the bytes in S3: stored directly, verified, served from there."""

from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from pytest_django.fixtures import Settings
from pytest_django.plugin import DjangoDbBlocker

from tests.support.action_calls import act
from tests.support.ci.publish_client import Job, connect, make_image, problem_of, put
from tests.support.pages import signed_in
from tests.support.personas import Personas
from tests.support.recording_uploads import RecordedRepository, run
from tests.support.servers.in_process_service import InProcessService, in_process_service
from tests.support.servers.s3 import S3Server
from tests.support.videos import playwright_video
from tests.support.worlds import World, png, sha256
from visual_review.builds.images.blob_keys import image_key_of
from visual_review.builds.images.thumbnails import read_thumbnails, render_missing_thumbnails
from visual_review.builds.models import Build, Image, Screenshot
from visual_review.builds.publishing.uploads import sweep_incoming
from visual_review.builds.publishing.verification import verify_images
from visual_review.jobs.recordings.delete_recording import delete_recording
from visual_review.kernel import blobs
from visual_review.kernel.blobs import blob_store
from visual_review.recordings.blob_files import put_file
from visual_review.recordings.models import Recording

RED = make_image("red")
BLUE = make_image("blue")
PNG = {"Content-Type": "image/png"}


@pytest.fixture
def job(personas: Personas, bucket: str) -> Job:
    assert bucket
    return connect(personas.alice)


def process(build: dict[str, object]) -> Build:
    row = Build.objects.select_related("repository").get(pk=build["id"])
    verify_images(row)
    return row


def test_images_go_to_the_storage_directly_and_are_verified_there(
    job: Job, s3: S3Server, bucket: str
) -> None:
    build = job.create()
    uploads = job.announce(build, RED.sized_shot("a"), BLUE.sized_shot("b"))["uploads"]
    by_hash = {each["sha256"]: each["url"] for each in uploads}
    assert all(url.startswith(s3.endpoint) for url in by_hash.values())
    httpx.put(by_hash[RED.sha256], content=RED.data, headers=PNG, timeout=60).raise_for_status()
    refusal = problem_of(job.call("POST", f"builds/{build['id']}/finish", {}), 409)
    assert refusal["missing"] == [BLUE.sha256]
    # The storage takes any bytes of the announced number; the service finds out.
    wrong = b"x" * len(BLUE.data)
    httpx.put(by_hash[BLUE.sha256], content=wrong, headers=PNG, timeout=60).raise_for_status()
    assert job.finish(build)["status"] == "processing"
    process(build)
    assert [image.sha256 for image in Image.objects.all()] == [RED.sha256]
    assert Screenshot.objects.get(story_id="a").image is not None
    assert "announced hash" in Screenshot.objects.get(story_id="b").message
    assert [Path(key).name for key in s3.keys(bucket)] == [f"{RED.sha256}.png"]


def test_a_changed_or_foreign_address_takes_nothing(job: Job) -> None:
    build = job.create()
    green = make_image("green")
    url = job.announce(build, green.sized_shot("a"))["uploads"][0]["url"]
    assert (
        httpx.put(url.replace(green.sha256, RED.sha256), content=green.data, timeout=60).status_code
        == 403
    )
    assert httpx.get(url, timeout=60).status_code in {403, 404}


def test_a_link_takes_only_the_announced_number_of_bytes(
    job: Job, s3: S3Server, bucket: str
) -> None:
    pink = make_image("pink")
    build = job.create()
    assert build["directUploads"]
    url = job.announce(build, pink.sized_shot("a"))["uploads"][0]["url"]
    for size in (0, len(pink.data) - 1, len(pink.data) + 1, 1024 * 1024):
        assert httpx.put(url, content=b"x" * size, headers=PNG, timeout=60).status_code == 403
    chunked = httpx.put(url, content=iter([pink.data]), headers=PNG, timeout=60)
    assert chunked.is_error
    assert not [key for key in s3.keys(bucket) if "/incoming/" in key]
    httpx.put(url, content=pink.data, headers=PNG, timeout=60).raise_for_status()
    assert job.finish(build)["status"] == "processing"


def test_images_without_a_size_go_through_the_service(
    job: Job, s3: S3Server, bucket: str, settings: Settings
) -> None:
    """Announced as clients of earlier versions do."""
    gold = make_image("gold")
    build = job.create()
    url = job.announce(build, gold.shot("a"))["uploads"][0]["url"]
    assert url.startswith(f"{settings.PUBLIC_URL}/blobs/incoming/")
    assert put(url, gold.data).status_code == 201
    assert [Path(key).name for key in s3.keys(bucket)] == [f"{gold.sha256}.png"]
    assert job.finish(build)["status"] == "processing"


def test_what_comes_after_the_build_was_processed_is_swept(
    job: Job, s3: S3Server, bucket: str
) -> None:
    build = job.create()
    white = make_image("white")
    url = job.announce(build, white.sized_shot("a"))["uploads"][0]["url"]
    httpx.put(url, content=white.data, headers=PNG, timeout=60).raise_for_status()
    job.finish(build)
    process(build)
    Build.objects.update(status="completed")
    httpx.put(url, content=white.data, headers=PNG, timeout=60).raise_for_status()
    assert sweep_incoming(blob_store()) == 1
    assert not [key for key in s3.keys(bucket) if "/incoming/" in key]


@pytest.fixture
def service(
    bucket: str,
    settings: Settings,
    django_db_setup: None,  # noqa: ARG001 - It makes the database.
    django_db_blocker: DjangoDbBlocker,
    tmp_path: Path,
) -> Iterator[InProcessService]:
    assert bucket
    with in_process_service(django_db_blocker, tmp_path, settings.STORAGE_URL) as running:
        yield running


def test_images_come_through_the_service(service: InProcessService, s3: S3Server) -> None:
    world = World(service.personas.alice)
    build = world.publish({"a": "blue"})
    cookies = {name: each.value for name, each in signed_in(world.persona).cookies.items()}
    url = f"/repositories/{world.repository.id}/images/{sha256(png('blue'))}.png"
    with httpx.Client(base_url=service.url, cookies=cookies, timeout=60) as browser:
        response = browser.get(url)
        assert (response.status_code, response.content) == (200, png("blue"))
        assert response.headers["cache-control"] == "private, max-age=86400, immutable"
        assert response.headers["content-type"] == "image/png"
        assert int(response.headers["content-length"]) == len(png("blue"))
        assert "x-stored-blob" not in response.headers
        assert s3.endpoint not in str(response.headers)
        assert browser.head(url).status_code == 200
        blob_store().delete([image_key_of(world.repository.organization_id, sha256(png("blue")))])
        lost = browser.get(url)
        assert (lost.status_code, lost.headers["cache-control"]) == (404, "no-store")
        assert "no longer in the storage" in lost.json()["error"]
    assert build.new_count == 1


@pytest.mark.usefixtures("bucket")
def test_thumbnails_are_read_at_once_and_in_time(
    personas: Personas, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = World(personas.alice)
    build = world.publish({"a": "blue", "b": "green", "c": "red"})
    render_missing_thumbnails(build, lambda: None)
    ids = list(Screenshot.objects.filter(build=build).values_list("id", flat=True))
    organization_id = world.repository.organization_id
    found = read_thumbnails(organization_id, build.id, ids)
    assert [each.data[8:12] for each in found] == [b"WEBP"] * 3
    # A storage that hangs leaves the window without thumbnails, and does not hold the page.
    monkeypatch.setattr(blobs, "WAIT_SECONDS", 0.0)
    late = read_thumbnails(organization_id, build.id, ids)
    assert [(each.data, each.expected) for each in late] == [(b"", True)] * 3


@pytest.mark.usefixtures("bucket")
def test_many_images_are_deleted_and_missing_ones_ignored() -> None:
    store = blob_store()
    keys = [f"images/org/{number}.png" for number in range(20)]
    for key in [*keys[::2], "images/org/kept.png"]:
        store.put(key, b"bytes")
    store.delete(keys)
    assert list(store.keys("images/org")) == ["images/org/kept.png"]


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
