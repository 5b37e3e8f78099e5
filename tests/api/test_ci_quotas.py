"""Quotas of an organization: builds and megapixels of a day, and stored bytes."""

from pytest_django.fixtures import Settings

from tests.support.ci.publish_client import Job, PngImage, connect, make_image, problem_of, put
from tests.support.pages import signed_in
from tests.support.personas import Personas
from visual_review.builds.models import Build, Image, Screenshot
from visual_review.builds.publishing.uploads import IncomingImage
from visual_review.builds.publishing.verification import verify_images
from visual_review.jobs.upkeep.measure_storage import measure_storage
from visual_review.kernel.blobs import blob_store
from visual_review.repositories.models import OrganizationQuota
from visual_review.repositories.quotas import GIGABYTE, set_limits

DAY_SECONDS = 24 * 60 * 60


def limit(job: Job, **limits: int) -> None:
    set_limits(job.repository.organization_id, {f"{name}_limit": n for name, n in limits.items()})


def row_of(job: Job) -> OrganizationQuota:
    return OrganizationQuota.objects.get(pk=job.repository.organization_id)


def store(job: Job, size: int) -> None:
    OrganizationQuota.objects.filter(pk=job.repository.organization_id).update(stored_bytes=size)


def megapixel(color: str) -> PngImage:
    return make_image(color, 1000, 1000)


def test_builds_of_a_day_are_limited_and_a_repeated_one_counts_once(
    job: Job, personas: Personas
) -> None:
    limit(job, builds=2)
    first = job.request_body()
    job.create(**first)
    job.create()
    response = job.call("POST", "builds", job.request_body())
    detail = problem_of(response, 429)["detail"]
    assert "may publish 2 builds a day. It has used 2 today" in detail
    assert "/storage" in detail
    assert 0 < int(response["Retry-After"]) <= DAY_SECONDS
    assert job.create(**first)["number"] == 1
    assert Build.objects.count() == 2
    connect(personas.mallory).create()
    OrganizationQuota.objects.update(day="2026-01-01")
    assert job.create()["number"] == 3
    assert row_of(job).builds == 1


def test_megapixels_of_a_day_are_limited_and_an_image_of_a_build_counts_once(job: Job) -> None:
    limit(job, megapixels=2)
    build = job.create()
    job.announce(build, megapixel("red").shot("a"))
    for _ in range(2):
        job.announce(build, megapixel("red").shot("a"), megapixel("red").shot("b"))
    assert row_of(job).pixels == 1_000_000
    shots = [megapixel(color).shot(color) for color in ("green", "blue")]
    path = f"builds/{build['id']}/screenshots"
    response = job.call("POST", path, {"shard": 1, "screenshots": shots})
    assert "2 megapixels a day. It has used 1 today, and this request has 2" in str(
        problem_of(response, 429)
    )
    assert Screenshot.objects.count() == 2
    job.announce(build, shots[0])


def test_images_that_are_known_count_no_more(job: Job) -> None:
    limit(job, megapixels=1)
    job.publish({"a": megapixel("red")})
    job.publish({"a": megapixel("red")})
    assert row_of(job).pixels == 1_000_000


def test_the_settings_are_the_limits_unless_an_organization_has_its_own(
    job: Job, settings: Settings
) -> None:
    job.create()
    assert not OrganizationQuota.objects.exists()
    settings.QUOTAS = (0, 1, 0)
    job.create()
    problem_of(job.call("POST", "builds", job.request_body()), 429)
    limit(job, builds=0)
    job.create()


def test_stored_bytes_are_measured_and_what_is_stored_since_is_added_once(job: Job) -> None:
    limit(job, stored_gigabytes=1)
    job.publish({"a": make_image("red")})
    assert row_of(job).stored_bytes is None
    measure_storage(organization_id=job.repository.organization_id)
    red, blue = (make_image(color) for color in ("red", "blue"))
    assert row_of(job).stored_bytes == len(red.data)
    url = job.announce(job.create(), blue.shot("a"))["uploads"][0]["url"]
    for _ in range(2):
        assert put(url, blue.data).status_code == 201
    assert row_of(job).stored_bytes == len(red.data) + len(blue.data)


def test_images_that_the_storage_received_itself_are_added_once(job: Job) -> None:
    limit(job, stored_gigabytes=1)
    store(job, 0)
    images = [make_image(color) for color in ("red", "blue")]
    for _ in range(2):
        created = job.create()
        job.announce(created, *(each.shot(f"s{at}") for at, each in enumerate(images)))
        for each in images:
            upload = IncomingImage(job.repository.organization_id, created["id"], each.sha256)
            blob_store().put(upload.key, each.data)
        verify_images(Build.objects.select_related("repository").get(pk=created["id"]))
    assert row_of(job).stored_bytes == sum(len(each.data) for each in images)


def test_beyond_the_storage_nothing_is_stored_until_there_is_room(job: Job) -> None:
    limit(job, stored_gigabytes=1)
    store(job, GIGABYTE - 10)
    image = make_image("red")
    build = job.create()
    url = job.announce(build, image.shot("a"))["uploads"][0]["url"]
    detail = problem_of(response := put(url, image.data), 507)["detail"]
    assert "stores 1.00 of at most 1 GB" in detail
    assert "'Measure now'" in detail
    assert "Retry-After" not in response
    assert not Image.objects.exists()
    store(job, GIGABYTE)
    problem_of(job.call("POST", "builds", job.request_body()), 507)
    chunk = {"shard": 1, "screenshots": [make_image("blue").shot("b")]}
    problem_of(job.call("POST", f"builds/{build['id']}/screenshots", chunk), 507)
    measure_storage(organization_id=job.repository.organization_id)
    assert put(url, image.data).status_code == 201
    store(job, GIGABYTE)
    # Stored bytes need no more room.
    assert put(url, image.data).status_code == 201
    job.finish(build)


def test_the_page_shows_limits_and_use(job: Job, personas: Personas) -> None:
    owner = signed_in(personas.alice)
    assert "Builds today" not in owner.get("/storage").content.decode()
    limit(job, stored_gigabytes=5, builds=7, megapixels=20)
    store(job, 3 * GIGABYTE)
    job.publish({"a": megapixel("red")})
    page = owner.get("/storage").content.decode()
    for text in ("3.0\N{NO-BREAK SPACE}GB", "5.0\N{NO-BREAK SPACE}GB", ">7<", ">20<"):
        assert text in page
    assert page.count('data-label="Used">1<') == 2
