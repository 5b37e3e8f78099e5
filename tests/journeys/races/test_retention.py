"""A sweep beside uploads: an image newly in use stays, or is requested again."""

from collections.abc import Callable
from datetime import timedelta
from threading import Event
from typing import Any

import pytest
from django.db import connection, transaction

from tests.support.depth import rounds
from tests.support.personas import Personas
from tests.support.threads import WAIT_SECONDS, Racers, wait_until_another_waits_for_me
from tests.support.worlds import World
from visual_review.builds.images.blob_keys import image_key
from visual_review.builds.models import Build, Image, ReviewEntry, Screenshot
from visual_review.builds.publishing.uploads import link_verified_images, unlinked_shots
from visual_review.builds.retention.unused_images import delete_all_unused
from visual_review.jobs.upkeep.sweep_retention import sweep
from visual_review.kernel.blobs import blob_store
from visual_review.kernel.clock import now
from visual_review.kernel.errors import ConflictError, NotFoundError
from visual_review.repositories.models import Retention

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.search]

ROUNDS = rounds(4, 12)
COLORS = {"a": "red", "b": "blue", "c": "green"}
# Where each transaction of a sweep is open: the statement just ended.
OPEN_AT = {
    "builds are marked": 'UPDATE "builds_build" SET "status"',
    "the log is deleted": 'DELETE FROM "builds_reviewentry"',
    "screenshots are deleted": 'DELETE FROM "builds_screenshot"',
    "builds are deleted": 'DELETE FROM "builds_build"',
    "images are locked": "FOR UPDATE OF",
    "images are deleted": 'DELETE FROM "builds_image"',
    "files are deleted": 'INSERT INTO "builds_blobdeletion"',
}


def test_what_is_announced_while_the_sweep_goes_is_stored_or_asked_for(
    personas: Personas, two_threads: Racers
) -> None:
    world = World(personas.alice)
    organization = personas.alice.organization.id
    for number in range(ROUNDS):
        world.publish(COLORS)
        Screenshot.objects.all().delete()
        Image.objects.update(created_at=now() - timedelta(days=30))
        build, _ = two_threads.race(
            lambda number=number: world.upload(COLORS, branch=f"b{number}"),  # type: ignore[misc]
            lambda: delete_all_unused(organization, now() - timedelta(days=7), blob_store()),
        )
        assert isinstance(build, Build)
        # Linked: then row and bytes are there. Not linked: CI was asked to send the image.
        rows = set(map(image_key, Image.objects.all()))
        assert rows == set(blob_store().keys("images"))
        linked = Screenshot.objects.filter(build=build, image__isnull=False)
        assert {
            image_key(shot.image) for shot in linked.select_related("image") if shot.image
        } <= rows


def test_an_image_that_the_sweep_deletes_at_this_moment_is_not_linked(
    personas: Personas, two_threads: Racers
) -> None:
    world = World(personas.alice)
    build = world.upload({"a": "red", "b": "blue"})
    deleted, kept = (world.shot(build, story).image_id for story in "ab")
    Screenshot.objects.update(image=None)
    locked = Event()

    def delete() -> None:
        with transaction.atomic():
            Image.objects.select_for_update().get(pk=deleted).delete()
            locked.set()
            wait_until_another_waits_for_me()

    def link() -> None:
        assert locked.wait(WAIT_SECONDS)
        link_verified_images(unlinked_shots(build), personas.alice.organization.id)

    two_threads.race(delete, link)
    assert world.shot(build, "a").image_id is None
    assert world.shot(build, "b").image_id == kept


@pytest.mark.parametrize("statement", OPEN_AT.values(), ids=OPEN_AT)
def test_no_publish_and_no_page_waits_for_an_open_deletion(
    personas: Personas, two_threads: Racers, statement: str
) -> None:
    Retention.objects.create(organization=personas.alice.organization, builds_days=30)
    world = World(personas.alice)
    for colors in ({"a": "white", "b": "red"}, {"a": "black", "b": "red"}):
        world.approve(world.publish(colors))
    # No other build and no baseline uses the image.
    reject(world, world.publish({"a": "green", "b": "red"}))
    newer = world.publish({"a": "black", "b": "red"})
    Build.objects.exclude(pk=newer.pk).update(created_at=now() - timedelta(days=400))
    Image.objects.update(created_at=now() - timedelta(days=400))
    is_open, published = Event(), Event()

    def delete() -> None:
        with connection.execute_wrapper(pause_after(statement, is_open, published)):
            sweep(now(), blob_store())

    def publish() -> None:
        assert is_open.wait(WAIT_SECONDS)
        try:
            with connection.cursor() as cursor:
                cursor.execute("SET lock_timeout = '1s'")
            # On the same branch: images shared with the deleted builds, and new images.
            build = world.publish({"a": "blue", "b": "red", "c": "yellow"})
            world.approve(build)
            assert world.act("list_builds", repoId=world.repository.id).builds
            assert world.act("get_build", buildId=build.id).build.screenshots
        finally:
            published.set()

    two_threads.race(delete, publish)
    assert world.baseline() == {"a": "blue", "b": "red", "c": "yellow"}
    assert set(map(image_key, Image.objects.all())) == set(blob_store().keys("images"))
    assert not Build.objects.filter(number=3).exists()


def reject(world: World, build: Build) -> None:
    world.act("reject_build", buildId=build.id)
    ReviewEntry.objects.filter(build=build).update(decided_at=now() - timedelta(days=400))


def pause_after(statement: str, is_open: Event, resumed: Event) -> Callable[..., Any]:
    """Return a wrapper that waits after the first such statement, with the transaction open."""

    def wrapper(execute: Callable[..., Any], sql: str, *rest: Any) -> Any:  # noqa: ANN401 - Django's.
        result = execute(sql, *rest)
        if statement in sql and not is_open.is_set():
            is_open.set()
            assert resumed.wait(WAIT_SECONDS)
        return result

    return wrapper


def test_a_decision_beside_the_sweep_is_kept_or_finds_the_build_gone(
    personas: Personas, two_threads: Racers
) -> None:
    Retention.objects.create(organization=personas.alice.organization, builds_days=30)
    world = World(personas.alice)
    world.approve(world.publish({"a": "white"}))
    for number in range(ROUNDS):
        build = world.publish({"a": "red"}, branch=f"b{number}")
        world.publish({"a": "red"}, branch=f"b{number}")
        Build.objects.filter(pk=build.pk).update(created_at=now() - timedelta(days=60))
        decided, _ = two_threads.race(
            lambda build=build: approved(world, build),  # type: ignore[misc]
            lambda: sweep(now(), blob_store()),
        )
        # An acknowledged approval is a baseline's, with its build and its log.
        assert Build.objects.filter(pk=build.pk, review_state="approved").exists() == decided
        assert ReviewEntry.objects.filter(build=build).exists() == decided
        assert (world.baseline(f"b{number}") == {"a": "red"}) == decided


def approved(world: World, build: Build) -> bool:
    try:
        world.approve(build)
    except (ConflictError, NotFoundError):
        return False
    return True
