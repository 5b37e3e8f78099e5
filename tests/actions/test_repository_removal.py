"""The jobs of remove_repo delete all rows and bytes, except those in use elsewhere."""

import itertools
from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection
from procrastinate.contrib.django.models import ProcrastinateJob

from tests.support.case import Case
from tests.support.depth import rounds, some_of
from tests.support.personas import Persona, Personas
from tests.support.scenes import scene
from tests.support.worlds import World, png, sha256
from visual_review.builds.models import (
    Baseline,
    Build,
    Comparison,
    HostMessage,
    Image,
    PullRequest,
    ReviewEntry,
    Screenshot,
)
from visual_review.jobs.upkeep.delete_unused_images import delete_unused_images
from visual_review.jobs.upkeep.remove_repository import remove_repository
from visual_review.kernel.blobs import blob_store
from visual_review.recordings.blob_keys import incoming_folder, stored_folder
from visual_review.recordings.models import Attachment, Enrollment, LinkedTest, Recording
from visual_review.repositories.models import Product, ProjectToken, Repository
from visual_review.repositories.tokens import mint_token

# The changing or locking statements of a removal.
STATEMENTS = 60


class KilledError(Exception):
    """Simulates a kill between two statements, including the end of the transaction."""


@pytest.fixture
def full_world(personas: Personas) -> World:
    return fill_world(personas.alice)


@scene
def fill_world(persona: Persona) -> World:
    """Builds of each kind: approved, changed, failed and unfinished; a recording; regions."""
    world = World(persona)
    mint_token(world.repository)
    first = world.publish({"a": "red", "b": "blue"})
    world.approve(first)
    second = world.publish({"a": "green", "c": "error"})
    world.act(
        "review_screenshot",
        screenshotId=world.shot(second, "a").id,
        state="rejected",
        comment="Too green",
    )
    world.upload({"a": "yellow"}, branch="x")
    record_test(world)
    PullRequest.objects.create(repository=world.repository, number=5)
    HostMessage.objects.create(
        repository=world.repository,
        kind="rejection",
        subject="1",
        stream="pr:5",
        review_entry=ReviewEntry.objects.filter(decision="rejected").first(),
    )
    world.act(
        "set_dynamic_regions",
        repoId=world.repository.id,
        storyId="a",
        theme="light",
        device="desktop",
        regions=[],
    )
    return world


@scene
def remove_full_world(persona: Persona) -> World:
    world = fill_world(persona)
    world.act("remove_repo", repoId=world.repository.id)
    return world


def record_test(world: World) -> None:
    """Create a recording with stored bytes, and one still uploading."""
    world.act("enable_recordings", repoId=world.repository.id)
    product = Product.objects.get(repository=world.repository)
    test = LinkedTest.objects.create(product=product, title="signs in")
    for name, folder in (("ready", stored_folder), ("uploading", incoming_folder)):
        row = Recording.objects.create(
            repository=world.repository,
            product=product,
            test=test,
            key=name,
            title="signs in",
            status=name,
            size=5,
            part_size=5,
        )
        Attachment.objects.create(recording=row, name="trace.zip", size=5)
        prefix = folder(world.repository.organization_id, row.id)
        blob_store().put(f"{prefix}/bytes", b"video")
        blob_store().put(f"{prefix}/more", b"trace")


def run_removal(world: World) -> None:
    remove_repository(repository_id=world.repository.id)
    for job in ProcrastinateJob.objects.filter(task_name="delete_unused_images").order_by("id"):
        delete_unused_images(**job.args)


def rows_left() -> dict[str, int]:
    models = (
        *(Repository, Product, ProjectToken, Build, Screenshot, Baseline, ReviewEntry),
        *(PullRequest, HostMessage, Enrollment, Recording, LinkedTest, Attachment),
    )
    return {model.__name__: model.objects.count() for model in models if model.objects.exists()}


def keys() -> set[str]:
    return set(blob_store().keys())


def test_all_rows_and_bytes_are_deleted(full_world: World) -> None:
    assert Comparison.objects.exists()
    assert keys()
    full_world.act("remove_repo", repoId=full_world.repository.id)
    run_removal(full_world)
    assert rows_left() == {}
    assert not Image.objects.exists()
    assert not Comparison.objects.exists()
    assert keys() == set()


def test_a_repository_that_was_not_removed_is_left_alone(full_world: World) -> None:
    before = rows_left(), keys()
    remove_repository(repository_id=full_world.repository.id)
    assert (rows_left(), keys()) == before


def test_images_used_by_another_repository_are_kept(full_world: World) -> None:
    other = World(full_world.persona, "acme/docs")
    build = other.publish({"a": "red"})
    other.approve(build)
    changed = other.publish({"a": "green"})
    comparison = other.shot(changed, "a").comparison
    full_world.act("remove_repo", repoId=full_world.repository.id)
    run_removal(full_world)
    assert {row.sha256 for row in Image.objects.all()} == {
        sha256(png("red")),
        sha256(png("green")),
    }
    assert Comparison.objects.get() == comparison
    assert len(keys()) == 3
    assert other.baseline() == {"a": "red"}


def test_an_image_announced_in_another_repository_is_kept(world: World) -> None:
    world.publish({"a": "red"})
    other = World(world.persona, "acme/docs")
    build = other.upload({"a": "red"})
    Screenshot.objects.filter(build=build).update(image=None)
    world.act("remove_repo", repoId=world.repository.id)
    run_removal(world)
    assert Image.objects.get().sha256 == sha256(png("red"))
    assert len(keys()) == 1


def test_a_stored_image_that_was_never_linked_is_deleted(world: World) -> None:
    build = world.upload({"a": "red", "b": "blue"})
    Screenshot.objects.filter(build=build).update(image=None)
    Image.objects.filter(sha256=sha256(png("blue"))).delete()
    assert len(keys()) == 2
    world.act("remove_repo", repoId=world.repository.id)
    run_removal(world)
    assert not Image.objects.exists()
    assert keys() == set()


def test_another_organization_keeps_the_same_bytes(world: World, personas: Personas) -> None:
    theirs = World(personas.mallory)
    theirs.publish({"a": "red"})
    world.publish({"a": "red"})
    world.act("remove_repo", repoId=world.repository.id)
    run_removal(world)
    assert Image.objects.get().organization == personas.mallory.organization
    assert len(keys()) == 1


def test_the_same_images_can_be_uploaded_again_afterwards(full_world: World) -> None:
    full_world.act("remove_repo", repoId=full_world.repository.id)
    run_removal(full_world)
    again = World(full_world.persona, "acme/web")
    build = again.publish({"a": "red"})
    again.act("approve_build", buildId=build.id)
    assert again.baseline() == {"a": "red"}
    assert len(keys()) == 1


@pytest.mark.search
def test_an_interrupted_removal_is_finished_by_running_it_again(
    personas: Personas, case: Case
) -> None:
    for step in some_of(range(1, STATEMENTS + 1), rounds(11, STATEMENTS)):
        with case(f"killed before statement {step}"):
            world = remove_full_world(personas.alice)
            with connection.execute_wrapper(kill_before(step)), pytest.raises(KilledError):
                run_removal(world)
            # A statement outside the removal's transactions spoils the transaction of the test.
            connection.set_rollback(False)
            run_removal(world)
            assert rows_left() == {}
            assert not Image.objects.exists()
            assert keys() == set()


def kill_before(step: int) -> Callable[..., Any]:
    """Return a wrapper that raises before the ``step``-th changing or locking statement."""
    counter = itertools.count(1)

    def wrapper(execute: Callable[..., Any], sql: str, *rest: Any) -> Any:  # noqa: ANN401 - Django's.
        changing = sql.startswith(("DELETE", "INSERT", "UPDATE")) or "FOR UPDATE" in sql
        if changing and next(counter) == step:
            raise KilledError(sql)
        return execute(sql, *rest)

    return wrapper
