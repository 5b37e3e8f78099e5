"""Images that storage took without asking us are verified when the build is processed."""

from itertools import count

import pytest
from pytest_django.fixtures import Settings

from tests.support.case import Case
from tests.support.ci.client import Job, PngImage, make_image
from visual_review.builds.images.keys import image_key
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
from visual_review.kernel.errors import UnavailableError

RED = make_image("red")
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
