"""Signed URLs of our own for images, and images accepted by storage without asking us."""

import hashlib
import io
import random
import shutil
import struct
import subprocess
import zlib
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
from django.core.handlers.wsgi import WSGIRequest
from django.test import Client
from pytest_django.fixtures import Settings

from tests.support.case import Case
from tests.support.ci.publish_client import Job, PngImage, make_image, problem_of, put
from visual_review.api.blobs import serve_blob
from visual_review.builds.images.blob_keys import image_key
from visual_review.builds.models import Build, Image, Screenshot
from visual_review.builds.publishing.uploads import IncomingImage
from visual_review.builds.publishing.verification import (
    IMAGES_AT_ONCE,
    AnnouncedImage,
    batches,
    store_image,
    verify_images,
)
from visual_review.builds.time_slices import TimeSliceEndedError
from visual_review.imagediff import hash_pixels
from visual_review.kernel import blobs as blobs_module
from visual_review.kernel.blobs import blob_store
from visual_review.kernel.clock import now
from visual_review.kernel.errors import UnavailableError
from visual_review.repositories.models import Repository

RED = make_image("red")


def upload_url(job: Job, announced: PngImage = RED) -> str:
    uploads = job.announce(job.create(), announced.shot("a"))["uploads"]
    return str(uploads[0]["url"])


def stored() -> list[str]:
    folder = blob_store().folder
    assert folder is not None
    return [str(path) for path in folder.rglob("*") if path.is_file()]


def refuse(url: str, data: bytes, status: int) -> str:
    detail = problem_of(put(url, data), status)["detail"]
    assert stored() == []
    assert Image.objects.count() == 0
    return str(detail)


def png(width: int, height: int, data: bytes) -> bytes:
    """Return a PNG with the given header and compressed data, right or not."""

    def chunk(kind: bytes, body: bytes) -> bytes:
        return (
            struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))
        )

    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", data) + chunk(b"IEND", b"")
    )


def test_a_verified_image_lies_under_its_contents_name(job: Job) -> None:
    assert put(upload_url(job), RED.data).status_code == 201
    image = Image.objects.get()
    assert (image.sha256, image.width, image.height, image.size) == (
        RED.sha256,
        8,
        6,
        len(RED.data),
    )
    assert blob_store().get(image_key(image)) == RED.data
    # Named at once, so that the image goes with its repository should the build never finish.
    assert Screenshot.objects.get().image == image
    assert len(stored()) == 1


def test_sending_an_image_again_changes_nothing(job: Job) -> None:
    url = upload_url(job)
    assert [put(url, RED.data).status_code for _ in range(3)] == [201, 201, 201]
    assert Image.objects.count() == 1


def test_bytes_of_another_hash_are_rejected_and_logged(
    job: Job, caplog: pytest.LogCaptureFixture
) -> None:
    assert RED.sha256 in refuse(upload_url(job), make_image("blue").data, 400)
    (warning,) = [each for each in caplog.records if each.levelname == "WARNING"]
    assert RED.sha256 in warning.getMessage()


def test_an_image_of_another_size_than_announced_is_rejected(job: Job) -> None:
    lying = PngImage(RED.data, 9, 6)
    detail = refuse(upload_url(job, lying), RED.data, 400)
    assert "8 x 6" in detail
    assert "9 x 6" in detail


BROKEN_IMAGES = {
    "empty": b"",
    "gif": b"GIF89a" + b"\0" * 50,
    "svg": b"<svg xmlns='http://www.w3.org/2000/svg' onload='alert(1)'/>",
    "truncated": RED.data[:-20],
    "damaged": RED.data[:40] + b"\xff" + RED.data[41:],
    "trailing": RED.data + b"trailing",
    "short": png(8, 6, zlib.compress(b"\0" * 10)),
    "bomb": png(8, 6, zlib.compress(b"\0" * 50_000_000)),
    "wrong size": png(8_000, 8_000, zlib.compress(b"\0" * 1000)),
    "huge": png(2**31 - 1, 2**31 - 1, b""),
}


def test_a_file_that_is_not_an_intact_png_is_rejected_with_a_message(case: Case, job: Job) -> None:
    for name, data in BROKEN_IMAGES.items():
        with case(name):
            refuse(upload_url(job, PngImage(data, 8, 6)), data, 400)


def test_too_many_bytes_are_rejected_before_they_are_read(job: Job) -> None:
    detail = problem_of(put(upload_url(job), b"x", CONTENT_LENGTH=str(65 * 1024 * 1024)), 413)[
        "detail"
    ]
    assert "Nothing was stored" in detail


def test_a_body_that_ends_early_is_rejected(job: Job) -> None:
    parts = urlsplit(upload_url(job))
    # As a server hands on a body after the line broke; the test client sends only whole bodies.
    cut = {
        "REQUEST_METHOD": "PUT",
        "PATH_INFO": parts.path,
        "QUERY_STRING": parts.query,
        "CONTENT_LENGTH": str(len(RED.data)),
        "wsgi.input": io.BytesIO(RED.data[:10]),
    }
    response = serve_blob(WSGIRequest(cut), parts.path.removeprefix("/blobs/"))
    assert "ended after 10 of" in problem_of(response, 400)["detail"]
    assert stored() == []


def test_a_body_of_unknown_length_is_rejected(job: Job) -> None:
    problem_of(put(upload_url(job), RED.data, CONTENT_LENGTH=""), 411)


URL_CHANGES = (
    (RED.sha256, hashlib.sha256(b"else").hexdigest()),
    ("signature=", "signature=0"),
    ("expires=", "expires=9"),
    ("expires=", "expires=-"),
    ("/incoming/", "/images/"),
    ("/incoming/", "/incoming/../incoming/"),
)


def test_a_changed_url_takes_nothing(case: Case, job: Job) -> None:
    url = upload_url(job)
    for part, other in URL_CHANGES:
        with case(f"{part} -> {other}"):
            assert part in url
            refuse(url.replace(part, other), RED.data, 403)
    with case("unsigned"):
        refuse(url.partition("?")[0], RED.data, 403)


def test_an_expired_url_accepts_nothing(job: Job, monkeypatch: pytest.MonkeyPatch) -> None:
    url = upload_url(job)
    end = int(parse_qs(urlsplit(url).query)["expires"][0])
    monkeypatch.setattr(blobs_module.time, "time", lambda: end + 1.0)
    assert "expired" in refuse(url, RED.data, 403)


OTHER_KEYS = ("images/org_x/aa/x.png", "incoming/org_x/build_x/../../x", "incoming/x", "x")


def test_nothing_but_announced_images_can_be_stored_even_with_a_signature(
    case: Case, job: Job
) -> None:
    upload_url(job)
    for key in OTHER_KEYS:
        with case(key):
            refuse(blob_store().upload_link(key, None, 60), RED.data, 403)


def test_an_image_no_build_announced_is_rejected(job: Job) -> None:
    url = upload_url(job)
    other = make_image("blue")
    key = urlsplit(url).path.removeprefix("/blobs/").replace(RED.sha256, other.sha256)
    refuse(blob_store().upload_link(key, None, 60), other.data, 404)


def test_a_removed_repository_takes_no_image(job: Job) -> None:
    url = upload_url(job)
    Repository.objects.update(removed_at=now())
    refuse(url, RED.data, 404)


def test_an_expired_build_takes_no_image(job: Job) -> None:
    url = upload_url(job)
    Build.objects.update(status="expired")
    assert "expired" in refuse(url, RED.data, 409)


def test_a_stored_image_is_served_at_its_signed_url(job: Job) -> None:
    put(upload_url(job), RED.data)
    url = blob_store().link(image_key(Image.objects.get()), 600)
    parts = urlsplit(url)
    response = Client().get(f"{parts.path}?{parts.query}")
    assert b"".join(response.streaming_content) == RED.data  # type: ignore[attr-defined]
    assert response["Content-Type"] == "image/png"
    assert response["Content-Length"] == str(len(RED.data))
    assert response["X-Content-Type-Options"] == "nosniff"
    assert response["Content-Disposition"].startswith("inline")
    assert response["Content-Security-Policy"] == "sandbox; default-src 'none'"
    assert "private" in response["Cache-Control"]
    age = int(response["Cache-Control"].partition("max-age=")[2].partition(",")[0])
    assert 500 < age <= 600
    head = Client().head(f"{parts.path}?{parts.query}")
    head.close()
    assert (head.status_code, head["Content-Length"]) == (200, str(len(RED.data)))
    assert problem_of(Client().get(f"{parts.path}?expires=1&signature=x"), 403)
    assert problem_of(Client().get(parts.path), 403)


def test_an_upload_url_serves_nothing(job: Job) -> None:
    parts = urlsplit(upload_url(job))
    problem_of(Client().get(f"{parts.path}?{parts.query}"), 403)


OUTSIDE_KEYS = ("images/gone.png", "../secret", "a/../../secret", "a//b", ".", "a")


@pytest.mark.django_db
def test_a_signed_url_never_leads_out_of_the_folder(case: Case, blobs_folder: Path) -> None:
    (blobs_folder.parent / "secret").write_text("not for you")
    for key in OUTSIDE_KEYS:
        with case(key):
            parts = urlsplit(blob_store().link(key, 60))
            response = Client().get("/blobs/" + key, QUERY_STRING=parts.query)
            assert response.status_code in {403, 404}


def test_other_methods_are_rejected(job: Job) -> None:
    parts = urlsplit(upload_url(job))
    problem_of(Client().delete(f"{parts.path}?{parts.query}"), 405)


@pytest.fixture
def tiny_disk(tmp_path: Path, settings: Settings) -> Iterator[Path]:
    folder = tmp_path / "tiny"
    folder.mkdir()
    mount = shutil.which("mount")
    if (
        mount is None
        or subprocess.run(
            [mount, "-t", "tmpfs", "-o", "size=64k", "tmpfs", str(folder)], check=False
        ).returncode
    ):
        pytest.skip("A file system that fills up can only be mounted by root.")
    settings.STORAGE_URL = folder.as_uri()
    yield folder
    subprocess.run(["umount", str(folder)], check=True)


def test_a_disk_that_fills_up_stores_nothing_and_says_so(
    job: Job, tiny_disk: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Without the look ahead, so that the disk itself ends the write.
    monkeypatch.setattr(blobs_module, "MINIMUM_FREE_BYTES", -(2**40))
    noise = PngImage(*_noise(300, 300))
    detail = problem_of(put(upload_url(job, noise), noise.data), 507)["detail"]
    assert "disk" in detail
    assert [path for path in tiny_disk.rglob("*") if path.is_file()] == []
    assert Image.objects.count() == 0


def test_a_nearly_full_disk_is_noticed_before_anything_is_written(
    job: Job, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(blobs_module, "MINIMUM_FREE_BYTES", 2**60)
    assert "full" in refuse(upload_url(job), RED.data, 507)
    monkeypatch.undo()
    assert put(upload_url(job), RED.data).status_code == 201


def _noise(width: int, height: int) -> tuple[bytes, int, int]:
    rows = b"".join(b"\0" + random.Random(row).randbytes(3 * width) for row in range(height))
    return png(width, height, zlib.compress(rows)), width, height


BLUE = make_image("blue")


def processing(job: Job, announced: dict[str, PngImage], arrived: dict[str, bytes]) -> Build:
    """A build whose uploads went to ``incoming/`` directly, as with S3."""
    response = job.create()
    job.announce(response, *(each.shot(story) for story, each in announced.items()))
    organization = job.repository.organization_id
    for sha256, data in arrived.items():
        blob_store().put(IncomingImage(organization, response["id"], sha256).key, data)
    Build.objects.filter(pk=response["id"]).update(status="processing")
    return Build.objects.select_related("repository").get(pk=response["id"])


def shot(build: Build, story: str) -> Screenshot:
    return Screenshot.objects.get(build=build, story_id=story)


def test_true_images_move_to_their_contents_name(job: Job) -> None:
    build = processing(
        job, {"a": RED, "b": BLUE, "c": RED}, {RED.sha256: RED.data, BLUE.sha256: BLUE.data}
    )
    verify_images(build)
    images = {image.sha256: image for image in Image.objects.all()}
    assert set(images) == {RED.sha256, BLUE.sha256}
    assert images[RED.sha256].pixels_sha256 == hash_pixels(RED.data).pixels_sha256
    assert shot(build, "a").image == shot(build, "c").image == images[RED.sha256]
    assert set(blob_store().keys()) == {image_key(image) for image in images.values()}


UNTRUE = (
    (RED, BLUE.data, "do not have the announced hash"),
    (PngImage(RED.data, 9, 6), RED.data, "was announced as 9 x 6"),
    (PngImage(b"no picture", 8, 6), b"no picture", "not a PNG"),
    (PngImage(RED.data[:-9], 8, 6), RED.data[:-9], "cannot be read"),
)


def test_verification_stops_between_batches_and_continues(
    job: Job, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("visual_review.builds.publishing.verification.PIXELS_AT_ONCE", 1)
    shots = {"bad": PngImage(RED.data, 9, 6), "good": BLUE}
    build = processing(job, shots, {RED.sha256: RED.data, BLUE.sha256: BLUE.data})
    calls = count(1)

    def end_slice() -> None:
        if next(calls) % 2 == 0:
            raise TimeSliceEndedError

    with pytest.raises(TimeSliceEndedError):
        verify_images(build, end_slice)
    verify_images(build, end_slice)
    assert shot(build, "good").image is not None
    assert "was announced as 9 x 6" in shot(build, "bad").message


def test_batches_are_limited_by_number_and_by_pixels() -> None:
    small = [AnnouncedImage(str(number), 10, 10) for number in range(IMAGES_AT_ONCE + 1)]
    large = [AnnouncedImage(str(number), 5_000, 7_000) for number in range(3)]
    assert [len(batch) for batch in batches(small)] == [IMAGES_AT_ONCE, 1]
    assert [len(batch) for batch in batches([*large, *small[:2]])] == [1, 1, 3]
    assert list(batches([])) == []


def test_an_untrue_image_fails_its_screenshots_alone(case: Case, job: Job) -> None:
    for announced, data, expected in UNTRUE:
        with case(expected):
            blob_store().delete(list(blob_store().keys()))
            shots = {"bad": announced, "good": BLUE}
            build = processing(job, shots, {announced.sha256: data, BLUE.sha256: BLUE.data})
            verify_images(build)
            message = shot(build, "bad").message
            assert expected in message
            assert "ublish again" in message or "Announce" in message
            assert shot(build, "bad").image is None
            assert shot(build, "good").image is not None
            assert [image.sha256 for image in Image.objects.all()] == [BLUE.sha256]
            assert len(list(blob_store().keys())) == 1


def test_an_image_that_never_arrived_fails_its_screenshots(job: Job) -> None:
    build = processing(job, {"a": RED}, {})
    verify_images(build)
    assert "never uploaded" in shot(build, "a").message


def test_a_rejected_manifest_row_can_still_be_announced_again(job: Job) -> None:
    build = processing(job, {"a": RED}, {})
    verify_images(build)
    assert job.announce({"id": build.id}, RED.shot("a"))["uploads"] == []


def test_verifying_again_changes_nothing(job: Job) -> None:
    build = processing(job, {"a": RED, "bad": BLUE}, {RED.sha256: RED.data, BLUE.sha256: b"x"})
    verify_images(build)
    before = [(row.pk, row.image_id, row.message) for row in Screenshot.objects.order_by("pk")]
    verify_images(build)
    assert [
        (row.pk, row.image_id, row.message) for row in Screenshot.objects.order_by("pk")
    ] == before


def test_a_verification_interrupted_after_the_copy_continues(job: Job) -> None:
    build = processing(job, {"a": RED}, {RED.sha256: RED.data})
    organization = job.repository.organization_id
    blob_store().put(f"images/{organization}/{RED.sha256[:2]}/{RED.sha256}.png", RED.data)
    verify_images(build)
    assert shot(build, "a").image is not None


def test_a_verification_interrupted_before_the_upload_was_deleted_continues(job: Job) -> None:
    build = processing(job, {"a": RED}, {RED.sha256: RED.data})
    store_image(job.repository.organization_id, RED.data, hash_pixels(RED.data), blob_store())
    verify_images(build)
    assert shot(build, "a").image == Image.objects.get()


def test_a_full_disk_lets_the_job_try_again_and_accuses_no_image(
    job: Job, monkeypatch: pytest.MonkeyPatch
) -> None:
    build = processing(job, {"a": RED}, {RED.sha256: RED.data})
    monkeypatch.setattr(blobs_module, "MINIMUM_FREE_BYTES", 2**60)
    with pytest.raises(UnavailableError):
        verify_images(build)
    assert (shot(build, "a").message, Image.objects.count()) == ("", 0)
    monkeypatch.undo()
    verify_images(build)
    assert shot(build, "a").image is not None


def test_an_upload_above_the_limit_is_rejected_unread(
    job: Job, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("visual_review.builds.publishing.verification.LARGEST_IMAGE", 10)
    build = processing(job, {"a": RED}, {RED.sha256: RED.data})
    verify_images(build)
    assert "the limit is 10" in shot(build, "a").message


def test_many_images_are_verified_in_parts(job: Job) -> None:
    images = {f"s-{index}": make_image("red", width=3 + index) for index in range(150)}
    build = processing(job, images, {each.sha256: each.data for each in images.values()})
    verify_images(build)
    assert Screenshot.objects.filter(build=build, image__isnull=False).count() == 150
    assert Image.objects.count() == 150


def test_an_image_beyond_a_limit_that_was_lowered_is_refused_in_words(
    job: Job, settings: Settings
) -> None:
    build = processing(job, {"a": RED}, {RED.sha256: RED.data})
    settings.IMAGE_MAX_PIXELS = 47
    verify_images(build)
    assert "8 x 6, 48 pixels; at most 47 are supported" in shot(build, "a").message
