"""Storing and deleting an image at the same time keeps its row and bytes consistent."""

import threading
from collections.abc import Iterator

import pytest
from django.db import close_old_connections, connection

from tests.support.database import current_personas
from tests.support.depth import rounds
from tests.support.worlds import SIZE, World, png, sha256
from visual_review.builds.models import Image
from visual_review.builds.publishing.verification import AnnouncedImage, store_image
from visual_review.builds.retention.unused_images import delete_unused
from visual_review.kernel.blobs import blob_store


@pytest.mark.search
@pytest.mark.django_db(transaction=True)
def test_storing_and_deleting_the_same_image_at_once_never_loses_its_bytes() -> None:
    world = World(current_personas().alice)
    organization_id = world.repository.organization_id
    data = png("red")
    verified = AnnouncedImage(sha256(data), SIZE, SIZE).verify(data)
    blobs = blob_store()
    stop = threading.Event()

    def delete() -> None:
        try:
            while not stop.is_set():
                delete_unused(organization_id, [sha256(data)], [], blobs)
        finally:
            connection.close()

    thread = threading.Thread(target=delete)
    thread.start()
    try:
        for _ in range(rounds(50, 500)):
            store_image(organization_id, data, verified, blobs)
            check_rows_have_bytes()
    finally:
        stop.set()
        thread.join()
        close_old_connections()
    delete_unused(organization_id, [sha256(data)], [], blobs)
    assert list(blobs.keys()) == []


def check_rows_have_bytes() -> None:
    """Check that a row that exists before and after reading the sizes has its bytes."""
    before = Image.objects.first()
    size = next(iter(sizes()), None)
    after = Image.objects.first()
    if before is not None and before == after:
        assert size is not None


def sizes() -> Iterator[int | None]:
    blobs = blob_store()
    return (blobs.size(key) for key in blobs.keys("images"))
