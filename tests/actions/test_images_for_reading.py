"""The images of a screenshot: existing ones, reasons for missing ones, and the cache."""

import io
from pathlib import Path

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from PIL import Image
from procrastinate.contrib.django.models import ProcrastinateJob

from tests.support.images import noise, page
from tests.support.personas import Persona, Personas
from tests.support.scenes import scene
from tests.support.worlds import World
from visual_review.builds.images.composites import ReadableImage, Side, image_for_reading
from visual_review.builds.images.render_cache import DELETE_RENDERED
from visual_review.builds.models import Screenshot
from visual_review.jobs.upkeep.delete_rendered_images import delete_rendered_images
from visual_review.jobs.upkeep.remove_repository import remove_repository
from visual_review.kernel import blobs as blobs_module
from visual_review.kernel.blobs import blob_store
from visual_review.kernel.errors import NotFoundError, UnavailableError
from visual_review.repositories.connect import mark_removed

SIDES: tuple[Side, ...] = ("before", "after", "diff", "composite")
RED, GREEN = page(400, 300, "red"), page(400, 300, "green")


@scene
def publish_change(persona: Persona) -> World:
    """The story ``a`` was red and is green."""
    world = World(persona)
    world.pair(RED, GREEN)
    return world


@pytest.fixture
def changed_world(personas: Personas) -> World:
    return publish_change(personas.alice)


def changed_screenshot() -> Screenshot:
    return Screenshot.objects.get(diff_state="changed")


def read(world: World, shot: Screenshot, side: Side = "composite") -> ReadableImage:
    return image_for_reading(world.persona.organization.id, shot.id, side)


def missing_reason(world: World, shot: Screenshot, side: Side) -> str:
    with pytest.raises(NotFoundError) as caught:
        read(world, shot, side)
    return str(caught.value)


def opened(image: ReadableImage) -> Image.Image:
    found = Image.open(io.BytesIO(image.data))
    assert found.size == (image.width, image.height)
    assert found.get_format_mimetype() == image.media_type
    return found


def cached_keys() -> list[str]:
    return sorted(blob_store().keys("drawn"))


def test_a_changed_screenshot_has_every_side(changed_world: World) -> None:
    shot = changed_screenshot()
    assert read(changed_world, shot, "before").data == RED
    assert read(changed_world, shot, "after").data == GREEN
    assert read(changed_world, shot, "after").note == "The original, 400x300."
    assert opened(read(changed_world, shot, "diff")).size == (400, 300)
    composite = read(changed_world, shot)
    assert opened(composite).width > 640
    assert composite.note == (
        "160x108 at 0,0 of 400x300, enlarged 3 times. In the difference, red is changed, yellow "
        "is anti-aliasing, hatched is a dynamic region."
    )


def test_new_and_removed_and_unchanged_ones_have_one_side(world: World) -> None:
    world.approve(world.publish({"gone": RED, "same": RED}))
    build = world.publish({"new": GREEN, "same": RED})
    new, gone, same = (world.shot(build, story) for story in ("new", "gone", "same"))
    for shot, sides in ((new, {"after"}), (gone, {"before"}), (same, {"before", "after"})):
        assert opened(read(world, shot)).width == 640
        assert read(world, shot).note == "All of 400x300."
        for side in SIDES[:3]:
            if side in sides:
                assert read(world, shot, side).width == 400
            else:
                assert f"no '{side}' image" in missing_reason(world, shot, side)
    assert "the baseline has none" in missing_reason(world, new, "before")
    assert "the story was removed" in missing_reason(world, gone, "after")
    assert "this one is unchanged" in missing_reason(world, same, "diff")


def test_a_failed_screenshot_explains_why_it_has_no_image(world: World) -> None:
    build = world.publish({"a": "error"})
    for side in SIDES:
        assert "image: " in missing_reason(world, world.shot(build, "a"), side)
    assert "its capture failed. It threw." in missing_reason(
        world, world.shot(build, "a"), "composite"
    )


def test_a_pending_screenshot_explains_why_it_has_no_composite(world: World) -> None:
    build = world.upload({"a": RED})
    shot = world.shot(build, "a")
    assert shot.diff_state == "pending"
    Screenshot.objects.filter(pk=shot.pk).update(image=None)
    assert "its build is not compared yet" in missing_reason(world, shot, "composite")


@pytest.mark.usefixtures("changed_world")
def test_another_organizations_screenshot_is_not_found_with_the_usual_message(
    personas: Personas,
) -> None:
    shot = changed_screenshot()
    for organization, screenshot in (
        (personas.mallory.organization.id, shot.id),
        (personas.alice.organization.id, "shot_00000000000000000000000000"),
    ):
        for side in SIDES:
            with pytest.raises(NotFoundError, match=r"^There is no screenshot with this id\.$"):
                image_for_reading(organization, screenshot, side)


@pytest.mark.parametrize("size", [(60, 1600), (40, 5000), (500, 500)])
def test_originals_too_large_for_clients_are_scaled_down(
    world: World, size: tuple[int, int]
) -> None:
    # The last is small enough in pixels, and too large in bytes.
    before, after = noise(*size, 1), noise(*size, 2)
    shot = world.pair(before, after)
    for side in SIDES:
        image = read(world, shot, side)
        opened(image)
        assert len(image.data) <= 740_000
        assert max(image.width, image.height) <= 1568
    assert read(world, shot, "after").note.startswith("A smaller copy below a heading. All of ")


def test_a_rendered_image_is_not_rendered_again(changed_world: World) -> None:
    shot = changed_screenshot()
    first = read(changed_world, shot)
    (key,) = cached_keys()
    # Without the originals the image cannot be rendered again.
    blob_store().delete([*blob_store().keys("images"), *blob_store().keys("diffs")])
    assert read(changed_world, shot) == first
    blob_store().delete([key])
    with pytest.raises(UnavailableError, match="missing or damaged"):
        read(changed_world, shot)


def test_builds_that_show_the_same_change_share_its_composite(changed_world: World) -> None:
    shot = changed_screenshot()
    again = changed_world.shot(changed_world.publish({"a": GREEN}), "a")
    assert read(changed_world, shot) == read(changed_world, again)
    assert len(cached_keys()) == 1


def test_another_comparison_has_another_composite(world: World) -> None:
    shot = world.pair(RED, page(400, 300, "green", at=(300, 250)))
    first = read(world, shot)
    world.act(
        "set_dynamic_regions",
        repoId=world.repository.id,
        storyId="a",
        theme="light",
        device="desktop",
        regions=[{"x": 0, "y": 0, "width": 0.5, "height": 0.5}],
    )
    build = world.publish({"a": page(400, 300, "green", at=(300, 250))})
    second = read(world, world.shot(build, "a"))
    # Changes inside the region no longer count.
    assert first.note.startswith("376x300 at 12,0 of 400x300")
    assert second.note.startswith("160x100 at 240,200 of 400x300")
    assert len(cached_keys()) == 2


def test_images_can_be_read_while_the_disk_is_full(
    changed_world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    shot = changed_screenshot()
    # No disk has so much free space, so the store treats this one as full.
    monkeypatch.setattr(blobs_module, "MINIMUM_FREE_BYTES", 2**60)
    assert opened(read(changed_world, shot)).width > 640
    assert cached_keys() == []


def test_a_removed_repository_leaves_no_rendered_images_and_another_keeps_its_own(
    world: World,
) -> None:
    other = World(world.persona, "acme/docs")
    shots = [each.pair(RED, GREEN) for each in (world, other)]
    for each, shot in zip((world, other), shots, strict=True):
        read(each, shot)
    kept = [key for key in cached_keys() if other.repository.id in key]
    assert len(cached_keys()) == 2
    assert len(kept) == 1
    world.act("remove_repo", repoId=world.repository.id)
    remove_repository(repository_id=world.repository.id)
    for job in ProcrastinateJob.objects.filter(task_name=DELETE_RENDERED):
        delete_rendered_images(**job.args)
        delete_rendered_images(**job.args)
    assert cached_keys() == kept
    assert read(other, shots[1]).width > 640


def test_images_rendered_while_the_repository_is_removed_are_not_cached(
    changed_world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    shot = changed_screenshot()
    get = blobs_module.BlobStore.get

    def removed_meanwhile(store: blobs_module.BlobStore, key: str) -> bytes:
        if key.startswith("images/"):
            changed_world.repository.refresh_from_db()
            mark_removed(changed_world.repository)
        return get(store, key)

    monkeypatch.setattr(blobs_module.BlobStore, "get", removed_meanwhile)
    assert opened(read(changed_world, shot)).width > 640
    assert cached_keys() == []


def test_reading_sends_few_queries_and_changes_nothing(changed_world: World) -> None:
    shot = changed_screenshot()
    read(changed_world, shot)
    with CaptureQueriesContext(connection) as queries:
        read(changed_world, shot)
    assert len(queries) <= 2
    assert all(query["sql"].startswith("SELECT") for query in queries)


def test_story_names_do_not_affect_cache_paths(world: World, blobs_folder: Path) -> None:
    stories = ("../../../etc/passwd", "x" * 200, "a\u202eb\x1b[0m", "日本")
    world.approve(world.publish(dict.fromkeys(stories, RED)))
    build = world.publish(dict.fromkeys(stories, GREEN))
    for story in stories:
        read(world, world.shot(build, story))
    (folder,) = blobs_folder.joinpath("drawn", world.persona.organization.id).iterdir()
    assert folder.name == world.repository.id
    assert len(list(folder.rglob("*.png"))) == 4
