"""Images and thumbnails from S3 reach the browser from the service's own origin."""

from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from pytest_django.fixtures import Settings
from pytest_django.plugin import DjangoDbBlocker

from tests.support.pages import signed_in
from tests.support.personas import Personas
from tests.support.servers.in_process_service import InProcessService, in_process_service
from tests.support.servers.s3 import S3Server
from tests.support.worlds import World, png, sha256
from visual_review.builds.images.keys import image_key_of
from visual_review.builds.images.thumbnail_files import read_thumbnails
from visual_review.builds.images.thumbnails import render_missing_thumbnails
from visual_review.builds.models import Screenshot
from visual_review.kernel import blobs
from visual_review.kernel.blobs import blob_store


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
