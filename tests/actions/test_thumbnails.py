"""Thumbnails: rendered by a job after the verdict, once for each image, and deleted together."""

import io
from datetime import timedelta

import pytest
from PIL import Image as PILImage
from procrastinate.contrib.django.models import ProcrastinateJob

from tests.support.images import page
from tests.support.personas import Persona, Personas
from tests.support.scenes import scene
from tests.support.worlds import World, sha256
from visual_review.builds.images import thumbnails
from visual_review.builds.images.blob_keys import (
    change_thumbnail_key_of,
    image_key,
    image_thumbnail_key_of,
)
from visual_review.builds.images.links import links_of_rows
from visual_review.builds.images.thumbnails import render_missing_thumbnails
from visual_review.builds.job_queue import RENDER_THUMBNAILS, enqueue_processing
from visual_review.builds.models import Build, Comparison, Image, Screenshot
from visual_review.builds.read_models import screenshot_rows
from visual_review.builds.time_slices import TimeSliceEndedError, never_end
from visual_review.jobs.builds.render_thumbnails import MOST_POSTPONED, render_thumbnails
from visual_review.jobs.upkeep.delete_unused_images import delete_unused_images
from visual_review.jobs.upkeep.remove_repository import remove_repository
from visual_review.jobs.upkeep.sweep_retention import sweep
from visual_review.kernel.blobs import blob_store
from visual_review.kernel.clock import now
from visual_review.repositories.connect import mark_removed
from visual_review.repositories.models import Repository

WHITE, RED, GREEN = (page(700, 500, color) for color in ("", "red", "green"))
SMALL = page(120, 90, "blue")


@scene
def publish_changes(persona: Persona) -> World:
    """A build with a changed, an unchanged, a new and a removed story; nothing is rendered yet."""
    world = World(persona)
    first = world.publish({"changed": RED, "same": WHITE, "gone": SMALL})
    world.approve(first)
    world.publish({"changed": GREEN, "same": WHITE, "fresh": SMALL})
    forget_jobs()
    return world


def forget_jobs() -> None:
    """Delete the jobs as if a worker had done them: a waiting build delays thumbnails."""
    ProcrastinateJob.objects.all()._raw_delete("default")  # noqa: SLF001 - The model is read-only.


@pytest.fixture
def world(personas: Personas) -> World:
    return publish_changes(personas.alice)


def newest() -> Build:
    return Build.objects.select_related("repository").latest("number")


def run(build: Build, postponed: int = 0) -> None:
    render_thumbnails(build.id, build.repository.organization_id, postponed)


def stored() -> set[str]:
    return set(blob_store().keys("thumbnails"))


def image_thumbnail(world: World, data: bytes) -> str:
    return image_thumbnail_key_of(world.persona.organization.id, sha256(data))


def change_thumbnail() -> str:
    row = Comparison.objects.get()
    return change_thumbnail_key_of(row.organization_id, row.key)


def size_of(key: str) -> tuple[int, int]:
    with PILImage.open(io.BytesIO(blob_store().get(key))) as image:
        assert image.format == "WEBP"
        return image.size


def queued() -> list[dict[str, object]]:
    return [job.args for job in ProcrastinateJob.objects.filter(task_name=RENDER_THUMBNAILS)]


def test_every_image_and_every_change_of_a_build_gets_one(world: World) -> None:
    build = newest()
    assert stored() == set()
    run(build)
    shown = [image_thumbnail(world, data) for data in (GREEN, WHITE, SMALL)]
    assert stored() == {*shown, change_thumbnail()}
    assert [size_of(key) for key in shown] == [(320, 228), (320, 228), (120, 90)]
    assert size_of(change_thumbnail()) == (320, 200)


def test_links_lead_to_what_is_rendered(world: World) -> None:
    rows = screenshot_rows(newest())
    organization = world.persona.organization.id
    before = links_of_rows(rows, organization, blob_store())
    assert {(each.change_thumbnail, each.thumbnail) for each in before} == {(None, None)}
    run(newest())
    rows = screenshot_rows(newest())
    after = links_of_rows(rows, organization, blob_store())
    found = {row.story_id: links for row, links in zip(rows, after, strict=True)}
    assert all(links.thumbnail is not None for links in found.values())
    assert [story for story, links in found.items() if links.change_thumbnail] == ["changed"]
    assert change_thumbnail() in str(found["changed"].change_thumbnail)
    assert image_thumbnail(world, GREEN) in str(found["changed"].thumbnail)
    assert image_thumbnail(world, SMALL) in str(found["gone"].thumbnail)


def test_completing_a_build_enqueues_the_job(world: World) -> None:
    build = world.publish({"changed": RED})
    organization = world.persona.organization.id
    assert queued() == [{"build_id": build.id, "organization_id": organization, "postponed": 0}]


def test_none_is_rendered_twice(world: World) -> None:
    run(newest())
    blob_store().delete(list(stored()))
    run(newest())
    build = world.publish({"changed": GREEN, "same": WHITE, "other": RED})
    forget_jobs()
    run(build)
    # Only this image was new after the earlier thumbnails were rendered.
    assert stored() == {image_thumbnail(world, RED)}


@pytest.mark.usefixtures("world")
def test_an_interrupted_job_continues_where_it_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(thumbnails, "STORED_AT_ONCE", 1)
    steps = iter([None])

    def check_time() -> None:
        if next(steps, "ended"):
            raise TimeSliceEndedError

    with pytest.raises(TimeSliceEndedError):
        render_missing_thumbnails(newest(), check_time)
    begun = stored()
    assert begun
    assert Image.objects.filter(has_thumbnail=True).exists()
    render_missing_thumbnails(newest(), never_end)
    assert begun < stored()
    assert len(stored()) == 4


@pytest.mark.usefixtures("world")
def test_what_is_stored_already_after_a_kill_is_kept() -> None:
    run(newest())
    # As after a kill between storing the bytes and the rows.
    Image.objects.update(has_thumbnail=False)
    Comparison.objects.update(has_thumbnail=False)
    before = {key: blob_store().get(key) for key in stored()}
    run(newest())
    assert {key: blob_store().get(key) for key in stored()} == before
    assert Image.objects.filter(has_thumbnail=True).count() == 3


def test_a_damaged_image_leaves_out_only_its_own(world: World) -> None:
    folder = blob_store().folder
    assert folder is not None
    path = folder / image_key(Image.objects.get(sha256=sha256(WHITE)))
    path.write_bytes(path.read_bytes()[:-30])
    run(newest())
    assert stored() == {
        image_thumbnail(world, GREEN),
        image_thumbnail(world, SMALL),
        change_thumbnail(),
    }


def test_the_job_gives_way_to_builds(world: World) -> None:
    build, organization = newest(), world.persona.organization.id
    enqueue_processing("build_other", "org_other")
    run(build, postponed=2)
    assert stored() == set()
    assert queued() == [{"build_id": build.id, "organization_id": organization, "postponed": 3}]


def test_a_service_that_is_never_idle_renders_a_few(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(thumbnails, "STORED_AT_ONCE", 1)
    build, organization = newest(), world.persona.organization.id
    enqueue_processing("build_other", "org_other")
    run(build, postponed=MOST_POSTPONED)
    assert 1 <= len(stored()) <= 2
    assert queued() == [{"build_id": build.id, "organization_id": organization, "postponed": 0}]


def test_they_are_deleted_with_the_last_build_that_shows_them(world: World) -> None:
    run(newest())
    Screenshot.objects.filter(story_id="changed", image__sha256=sha256(GREEN)).delete()
    for model in (Image, Comparison):
        model.objects.update(created_at=now() - timedelta(days=400))
    sweep(now(), blob_store())
    assert stored() == {image_thumbnail(world, WHITE), image_thumbnail(world, SMALL)}


def test_they_are_deleted_with_the_repository(world: World) -> None:
    run(newest())
    assert stored()
    mark_removed(Repository.objects.get())
    remove_repository(world.repository.id)
    for job in ProcrastinateJob.objects.filter(task_name="delete_unused_images"):
        delete_unused_images(**job.args)
    assert stored() == set()


def test_nothing_is_stored_for_what_was_deleted_meanwhile(world: World) -> None:
    (found,) = thumbnails._missing(thumbnails._rows(newest()))  # noqa: SLF001 - Between two steps.
    rendered = [thumbnails._try_to_render(each, blob_store()) for each in found]  # noqa: SLF001 - As above.
    Screenshot.objects.filter(story_id="changed").delete()
    Comparison.objects.all().delete()
    Image.objects.filter(sha256=sha256(GREEN)).delete()
    thumbnails._store(rendered, blob_store())  # noqa: SLF001 - As above.
    assert stored() == {image_thumbnail(world, WHITE), image_thumbnail(world, SMALL)}
