"""Storing and deleting bytes at the same moment keeps each image and its bytes consistent."""

import threading
from collections.abc import Collection, Iterator
from datetime import timedelta
from threading import Event

import pytest
from django.db import close_old_connections, connection

from tests.support.case import Case
from tests.support.database import current_personas
from tests.support.depth import rounds
from tests.support.threads import WAIT_SECONDS, racers
from tests.support.worlds import SIZE, World, png, sha256
from visual_review.builds.images import blob_deletions
from visual_review.builds.images.blob_deletions import (
    KEPT,
    LONGEST_DELETION,
    delete_with_rows,
    forget_old_deletions,
    store_with_rows,
)
from visual_review.builds.models import BlobDeletion, Image
from visual_review.builds.publishing.verification import AnnouncedImage, store_image
from visual_review.builds.retention.unused_images import delete_unused
from visual_review.kernel.blobs import BlobStore, blob_store
from visual_review.kernel.clock import now
from visual_review.kernel.errors import UnavailableError

KEY, OTHER = "images/org_1/a.png", "images/org_1/b.png"


class Rows:
    """A stand-in for the row of the bytes: whether the row is written."""

    def __init__(self) -> None:
        self.written = False
        self.stored = 0

    def store(self, meanwhile: Event | None = None) -> None:
        def put() -> None:
            blob_store().put(KEY, b"bytes")
            self.stored += 1
            if self.stored == 1 and meanwhile is None:
                # The bytes were there already, and the row was not.
                self.delete()

        store_with_rows([KEY, OTHER], put, lambda _: self.write())

    def write(self) -> None:
        self.written = True

    def delete(self) -> None:
        delete_with_rows({"a": [KEY]}, self.find_gone, blob_store())

    def find_gone(self, names: Collection[str]) -> Collection[str]:
        return () if self.written else names


@pytest.mark.django_db
def test_what_was_deleted_before_its_row_was_written_is_stored_again() -> None:
    rows = Rows()
    rows.store()
    assert (rows.stored, rows.written) == (2, True)
    assert blob_store().get(KEY) == b"bytes"
    # The row protects the bytes from now on.
    rows.delete()
    assert blob_store().get(KEY) == b"bytes"


@pytest.mark.django_db(transaction=True)
def test_storing_waits_for_a_deletion_that_is_running(monkeypatch: pytest.MonkeyPatch) -> None:
    rows, deleting, stored = Rows(), Event(), Event()
    delete = BlobStore.delete

    def slow_delete(blobs: BlobStore, keys: list[str]) -> None:
        deleting.set()
        # Storing must not end meanwhile; the store polls ten times in a second.
        assert not stored.wait(1)
        delete(blobs, keys)

    def store() -> None:
        assert deleting.wait(WAIT_SECONDS)
        rows.store(meanwhile=deleting)
        stored.set()

    monkeypatch.setattr(BlobStore, "delete", slow_delete)
    with racers(2) as threads:
        threads.race(rows.delete, store)
    assert rows.written
    assert blob_store().get(KEY) == b"bytes"


@pytest.mark.django_db
def test_a_deletion_whose_process_was_killed_delays_others_for_a_while(
    monkeypatch: pytest.MonkeyPatch, case: Case
) -> None:
    monkeypatch.setattr(blob_deletions, "WAIT_SECONDS", 0.1)
    rows = Rows()
    with case("a moment ago"):
        BlobDeletion.objects.create(key=KEY, started_at=now())
        blob_store().put(KEY, b"bytes")
        with pytest.raises(UnavailableError, match="being deleted"):
            rows.store()
        assert not rows.written
        # A deletion leaves out the keys of another one.
        rows.delete()
        assert blob_store().get(KEY) == b"bytes"
    with case("longer ago than any deletion takes"):
        BlobDeletion.objects.create(key=KEY, started_at=now() - LONGEST_DELETION)
        rows.delete()
        rows.store(meanwhile=Event())
        assert rows.written


@pytest.mark.django_db
def test_a_failed_storage_ends_a_deletion_too(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(_blobs: BlobStore, _keys: list[str]) -> None:
        raise UnavailableError("out of order")

    rows = Rows()
    with monkeypatch.context() as patched:
        patched.setattr(BlobStore, "delete", fail)
        with pytest.raises(UnavailableError, match="out of order"):
            rows.delete()
    assert BlobDeletion.objects.get().finished_at is not None
    rows.store(meanwhile=Event())
    assert rows.written


@pytest.mark.django_db
def test_deletions_are_forgotten_after_a_day() -> None:
    Rows().delete()
    # The deletion's process was killed.
    BlobDeletion.objects.create(key=OTHER, started_at=now() - KEPT - timedelta(seconds=1))
    forget_old_deletions()
    assert [each.key for each in BlobDeletion.objects.all()] == [KEY]
    BlobDeletion.objects.update(started_at=now() - KEPT - timedelta(seconds=1))
    forget_old_deletions()
    assert not BlobDeletion.objects.exists()


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
    """Check that a row from before and after reading the sizes has its bytes."""
    before = Image.objects.first()
    size = next(iter(sizes()), None)
    after = Image.objects.first()
    if before is not None and before == after:
        assert size is not None


def sizes() -> Iterator[int | None]:
    blobs = blob_store()
    return (blobs.size(key) for key in blobs.keys("images"))
