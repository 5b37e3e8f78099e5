"""A sweep beside uploads: an image that comes into use at this moment stays, or is asked for."""

from datetime import timedelta
from threading import Event

import pytest
from django.db import transaction

from tests.support.depth import rounds
from tests.support.personas import Personas
from tests.support.threads import WAIT_SECONDS, Racers, wait_until_another_waits_for_me
from tests.support.worlds import World
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


def test_what_is_announced_while_the_sweep_goes_is_stored_or_asked_for(
    personas: Personas, two_threads: Racers
) -> None:
    world = World(personas.alice)
    organization = personas.alice.organization.id
    for number in range(ROUNDS):
        world.publish({"a": "red"})
        Screenshot.objects.all().delete()
        Image.objects.update(created_at=now() - timedelta(days=30))
        build, _ = two_threads.race(
            lambda number=number: world.upload({"a": "red"}, branch=f"b{number}"),  # type: ignore[misc]
            lambda: delete_all_unused(organization, now() - timedelta(days=7), blob_store()),
        )
        assert isinstance(build, Build)
        shot = Screenshot.objects.get(build=build)
        stored = set(blob_store().keys("images"))
        # Linked: then row and bytes are there. Not linked: CI was told to send it.
        assert bool(stored) == Image.objects.exists()
        assert shot.image_id is None or Image.objects.filter(pk=shot.image_id).exists()
        assert shot.image_id is None or len(stored) == 1


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


def test_a_decision_beside_the_sweep_is_kept_or_finds_the_build_gone(
    personas: Personas, two_threads: Racers
) -> None:
    Retention.objects.create(organization=personas.alice.organization, builds_days=30)
    world = World(personas.alice)
    world.act("approve_build", buildId=world.publish({"a": "white"}).id)
    for number in range(ROUNDS):
        build = world.publish({"a": "red"}, branch=f"b{number}")
        world.publish({"a": "red"}, branch=f"b{number}")
        Build.objects.filter(pk=build.pk).update(created_at=now() - timedelta(days=60))
        decided, _ = two_threads.race(
            lambda build=build: approved(world, build),  # type: ignore[misc]
            lambda: sweep(now(), blob_store()),
        )
        # An approval that was answered is a baseline's, with its build and its log.
        assert Build.objects.filter(pk=build.pk, review_state="approved").exists() == decided
        assert ReviewEntry.objects.filter(build=build).exists() == decided
        assert (world.baseline(f"b{number}") == {"a": "red"}) == decided


def approved(world: World, build: Build) -> bool:
    try:
        world.act("approve_build", buildId=build.id)
    except (ConflictError, NotFoundError):
        return False
    return True
