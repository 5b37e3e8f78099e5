"""Small files that need much memory are read in turn, within one budget of the process."""

import tracemalloc

import pytest

from tests.support.case import Case
from tests.support.ci.publish_client import Job, PngImage, problem_of, put
from tests.support.imagediff.blank_png import blank_png
from visual_review.builds.images import image_memory as image_memory_module
from visual_review.builds.images.image_memory import SharedBudget
from visual_review.builds.models import Build, Screenshot
from visual_review.builds.publishing import verification
from visual_review.builds.publishing.uploads import IncomingImage
from visual_review.builds.publishing.verification import CONNECTIONS, verify_images
from visual_review.imagediff import ImageTooLargeError, compare
from visual_review.kernel.blobs import blob_store

WIDTH, HEIGHT = 2048, 1024
DECODED = 4 * WIDTH * HEIGHT


@pytest.fixture
def budget(monkeypatch: pytest.MonkeyPatch) -> SharedBudget:
    """Memory for one of the images at a time."""
    budget = SharedBudget(5 * DECODED, "Busy. Try again.")
    for module in (verification, image_memory_module):
        monkeypatch.setattr(module, "image_memory", lambda: budget)
    return budget


def interlaced(number: int) -> PngImage:
    height = HEIGHT + number
    return PngImage(blank_png(WIDTH, height, interlaced=True), WIDTH, height)


@pytest.mark.usefixtures("budget")
def test_many_images_at_once_stay_within_the_budget(job: Job) -> None:
    bombs = [interlaced(number) for number in range(CONNECTIONS)]
    assert all(len(bomb.data) < DECODED // 500 for bomb in bombs)
    created = job.create()
    job.announce(created, *(bomb.shot(f"story-{at}") for at, bomb in enumerate(bombs)))
    for bomb in bombs:
        upload = IncomingImage(job.repository.organization_id, created["id"], bomb.sha256)
        blob_store().put(upload.key, bomb.data)
    build = Build.objects.select_related("repository").get(pk=created["id"])
    tracemalloc.start()
    try:
        verify_images(build)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert Screenshot.objects.exclude(image=None).count() == len(bombs)
    # Reading all of them at once takes eight times the pixels of one, and bands of each.
    assert peak < 5 * DECODED


def test_an_upload_that_finds_no_memory_is_told_to_try_again(
    job: Job, budget: SharedBudget, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(verification, "WAIT_SECONDS", 0)
    bomb = interlaced(0)
    url = job.announce(job.create(), bomb.shot("a"))["uploads"][0]["url"]
    with budget.reserve("org_other", 5 * DECODED):
        assert "Try again" in problem_of(put(url, bomb.data), 503)["detail"]
    assert put(url, bomb.data).status_code == 201


def test_a_wide_and_a_tall_image_are_not_compared_on_the_area_of_both(case: Case) -> None:
    """Each is small, but together they cover a billion pixels."""
    wide, tall = blank_png(32_768, 8, 1, 0), blank_png(8, 32_768, 1, 0)
    for before, after in ((wide, tall), (tall, wide)):
        with case(len(before)), pytest.raises(ImageTooLargeError, match="1,073,741,824 pixels"):
            compare(before, after)
