"""Publishing with the bytes in S3: they go there directly and are verified afterwards."""

from pathlib import Path

import httpx
import pytest
from pytest_django.fixtures import Settings

from tests.support.ci.publish_client import Job, connect, make_image, problem_of, put
from tests.support.personas import Personas
from tests.support.servers.s3 import S3Server
from visual_review.builds.models import Build, Image, Screenshot
from visual_review.builds.publishing.expiry import sweep_incoming
from visual_review.builds.publishing.verification import verify_images
from visual_review.kernel.blobs import blob_store

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
    """As clients of earlier versions announce them."""
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
