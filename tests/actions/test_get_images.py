"""get_images: the returned images, their limits, and the recorded views."""

import io
from base64 import b64decode
from typing import Any

import numpy as np
import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from PIL import Image

from tests.support.images import noise, page
from tests.support.personas import Persona, Personas
from tests.support.scenes import scene
from tests.support.worlds import World
from visual_review.actions.extended.get_images import Result
from visual_review.builds.models import Build, Screenshot
from visual_review.builds.models.review_log import ImageView
from visual_review.kernel.blobs import blob_store
from visual_review.kernel.errors import InvalidInputError, NotFoundError, VisualReviewError

STORIES = tuple(f"card--{name}" for name in "abcdefghijklmnopqrst")
ImageBuild = tuple[World, Build]


@scene
def publish_changes(persona: Persona) -> ImageBuild:
    """Twenty cards whose buttons changed, each elsewhere; a new page and a removed one."""
    world = World(persona)
    sides = [
        {story: page(400, 300, color, (60, 40 + 8 * at)) for at, story in enumerate(STORIES)}
        for color in ("red", "green")
    ]
    first = world.publish(sides[0] | {"gone": page(390, 700)})
    world.approve(first)
    return world, world.publish(sides[1] | {"new": page(390, 844)})


@pytest.fixture
def build(personas: Personas) -> ImageBuild:
    return publish_changes(personas.alice)


def look(build: ImageBuild, **more: object) -> Result:
    result = build[0].act("get_images", buildId=build[1].id, **more)
    assert isinstance(result, Result)
    return result


def opened(result: Result) -> list[Image.Image]:
    images = [Image.open(io.BytesIO(b64decode(image.data))) for image in result.images]
    for image, found in zip(result.images, images, strict=True):
        assert found.size == (image.width, image.height)
        assert found.get_format_mimetype() == image.media_type
        assert image.tokens == -(-image.width * image.height // 750)
    return images


def numbers_in(result: Result) -> list[int | None]:
    return [shot.number for image in result.images for shot in image.screenshots]


def test_without_a_selection_all_changes_are_on_dense_sheets(build: ImageBuild) -> None:
    result = look(build)
    opened(result)
    assert numbers_in(result) == list(range(1, 23))
    assert [len(image.screenshots) for image in result.images] == [16, 6]
    assert result.next_cursor is None
    assert result.image_tokens == sum(image.tokens for image in result.images) < 22 * 110
    for image in result.images:
        assert all(shot.scale >= 0.5 and shot.complete for shot in image.screenshots)


def test_a_limit_of_tokens_leaves_the_rest_to_the_cursor(build: ImageBuild) -> None:
    seen: list[int | None] = []
    cursor: dict[str, str] = {}
    while True:
        result = look(build, maxImageTokens=900, **cursor)
        assert 0 < result.image_tokens <= 900
        seen += numbers_in(result)
        if result.next_cursor is None:
            break
        cursor = {"cursor": result.next_cursor}
    assert seen == list(range(1, 23))


def test_an_impossible_limit_says_the_least_that_is_needed(build: ImageBuild) -> None:
    with pytest.raises(InvalidInputError, match="An image of #1 takes") as caught:
        look(build, maxImageTokens=10)
    least = int(str(caught.value).rpartition("at least ")[2].rstrip("."))
    assert numbers_in(look(build, maxImageTokens=least)) == [1]
    with pytest.raises(InvalidInputError):
        look(build, maxImageTokens=least - 1)


def test_each_form_shows_what_it_says(build: ImageBuild) -> None:
    changed, new, gone = "#1", "#21", "#22"
    for form, missing in (
        ("composite", []),
        ("whole", []),
        ("before", [21]),
        ("after", [22]),
        ("diff", [21, 22]),
    ):
        result = look(build, screenshots=[changed, new, gone], form=form, maxImageTokens=25_000)
        opened(result)
        assert [each.number for each in result.without_image] == missing
        assert numbers_in(result) == [number for number in (1, 21, 22) if number not in missing]
        assert {image.form for image in result.images} == {form}
        assert all(f"'{form}'" in each.reason for each in result.without_image)


def test_a_part_is_shown_at_the_requested_scale(build: ImageBuild) -> None:
    crop = {"x": 60, "y": 40, "width": 40, "height": 20}
    whole = look(build, screenshots=["#1"], form="after")
    assert b64decode(whole.images[0].data) == page(400, 300, "green", (60, 40))
    part = look(build, screenshots=["#1"], form="after", crop=crop, scale=2)
    (image,) = opened(part)
    shot = part.images[0].screenshots[0]
    assert shot.note == "40x20 at 60,40 of 400x300, enlarged 2 times."
    assert shot.scale == 2
    green = (np.asarray(image.convert("RGB")) == (0, 128, 0)).all(axis=2)
    assert green.sum() == 80 * 40
    changes = look(build, screenshots=["#1"], form="before", cropToChanges=True).images[0]
    assert "160x108 at 0,0 of 400x300" in changes.screenshots[0].note


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"crop": {"x": 400, "y": 0, "width": 9, "height": 9}}, "is 400x300"),
        ({"form": "after", "crop": {"x": 400, "y": 0, "width": 9, "height": 9}}, "is 400x300"),
        ({"cursor": "next"}, "not a cursor of get_images"),
        ({"form": "thumbnail"}, "form"),
        ({"form": "after", "crop": "all"}, "crop"),
        (
            {
                "form": "after",
                "crop": {"x": 0, "y": 0, "width": 9, "height": 9},
                "cropToChanges": True,
            },
            "not both",
        ),
        ({"form": "after", "crop": {"x": -1, "y": 0, "width": 9, "height": 0}}, "crop/x"),
        ({"maxImageTokens": 1_000_000}, "maxImageTokens"),
    ],
)
def test_wrong_input_is_explained(build: ImageBuild, more: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidInputError, match=message):
        look(build, screenshots=["#1"], **more)


PINK = (228, 0, 136)


def has_outline(result: Result) -> bool:
    return any(
        bool((np.asarray(image.convert("RGB")) == PINK).all(axis=2).any())
        for image in opened(result)
    )


def test_a_sheet_shows_the_same_part_of_all_at_one_scale(build: ImageBuild) -> None:
    crop = {"x": 60, "y": 40, "width": 100, "height": 50}
    result = look(build, screenshots=["#1", "#2", "#3"], crop=crop, scale=1.5)
    (sheet,) = result.images
    assert [shot.scale for shot in sheet.screenshots] == [1.5] * 3
    assert sheet.screenshots[0].note == "100x50 at 60,40 of 400x300, at 150%"
    # The other changes are elsewhere.
    assert [shot.complete for shot in sheet.screenshots] == [True, True, True]
    narrow = look(build, screenshots=["#1"], crop={**crop, "width": 10}).images[0].screenshots[0]
    assert not narrow.complete
    assert "IN PART: more changed outside" in narrow.note
    all_of_it = {"x": 0, "y": 0, "width": 400, "height": 300}
    largest = look(build, screenshots=["#1"], crop=all_of_it, scale=4).images[0].screenshots[0]
    assert largest.scale < 4
    same = look(build, screenshots=["#1"], cropToChanges=True)
    assert same.images == look(build, screenshots=["#1"]).images


def test_outlines_can_be_left_out(build: ImageBuild) -> None:
    world = build[0]

    def dotted(color: str) -> bytes:
        image = Image.new("RGB", (900, 700), "white")
        image.paste(color, (500, 400, 503, 403))
        file = io.BytesIO()
        image.save(file, "PNG")
        return file.getvalue()

    first = world.publish({"dot": dotted("red")}, branch="dots")
    world.approve(first)
    found = world, world.publish({"dot": dotted("green")}, branch="dots")
    for form in ("sheet", "composite", "whole"):
        assert has_outline(look(found, form=form)), form
        assert not has_outline(look(found, form=form, outlines=False)), form


def test_a_failed_screenshot_has_no_image_and_hides_no_other(personas: Personas) -> None:
    world = World(personas.alice)
    world.approve(world.publish({"a": page(400, 300, "red"), "b": page(9, 9)}))
    found = world.publish({"a": page(400, 300, "green"), "b": "error"})
    result = look((world, found))
    assert numbers_in(result) == [1]
    (missing,) = result.without_image
    assert missing.number == 2
    # The message of the failure was written by others.
    assert missing.reason == ("This screenshot has no image: its capture or its comparison failed.")


def test_images_of_noise_end_at_what_clients_accept(personas: Personas) -> None:
    world = World(personas.alice)
    sides = [{f"s{at}": noise(700, 500, seed + at) for at in range(4)} for seed in (1, 50)]
    world.approve(world.publish(sides[0]))
    found = world.publish(sides[1])
    seen: list[int | None] = []
    cursor: dict[str, str] = {}
    for _ in range(4):
        result = look((world, found), form="composite", maxImageTokens=25_000, **cursor)
        assert sum(len(b64decode(image.data)) for image in result.images) <= 740_000
        seen += numbers_in(result)
        if result.next_cursor is None:
            break
        cursor = {"cursor": result.next_cursor}
    assert seen == [1, 2, 3, 4]


def test_another_organizations_build_is_not_found(build: ImageBuild, personas: Personas) -> None:
    stranger = World(personas.mallory)
    for build_id in (build[1].id, "build_00000000000000000000000000"):
        with pytest.raises(NotFoundError, match=r"^There is no build with this id\.$"):
            stranger.act("get_images", buildId=build_id)


def test_what_was_shown_is_recorded_with_its_scale(build: ImageBuild) -> None:
    look(build, screenshots=["#1", "#21"])
    world, found = build
    first = world.shot(found, STORIES[0])
    views = {view.screenshot_id: view for view in ImageView.objects.all()}
    assert views.keys() == {first.id, world.shot(found, "new").id}
    view = views[first.id]
    assert (view.form, view.scale) == ("sheet", 1.0)
    assert first.image is not None
    assert first.baseline_image is not None
    assert view.after_sha256 == first.image.sha256
    assert view.before_sha256 == first.baseline_image.sha256
    new = views[world.shot(found, "new").id]
    assert (new.before_sha256, bool(new.after_sha256)) == ("", True)


def test_a_part_beside_the_change_is_no_look_and_a_difference_shows_no_side(
    build: ImageBuild,
) -> None:
    beside = {"x": 300, "y": 200, "width": 90, "height": 90}
    look(build, screenshots=["#1"], form="after", crop=beside)
    assert not ImageView.objects.exists()
    look(build, screenshots=["#1"], form="diff")
    view = ImageView.objects.get()
    assert (view.before_sha256, view.after_sha256, view.seen) == ("", "", [])


def test_sheets_are_cached_and_send_few_queries(build: ImageBuild) -> None:
    first = look(build)
    blob_store().delete([*blob_store().keys("images"), *blob_store().keys("diffs")])
    with CaptureQueriesContext(connection) as queries:
        assert look(build) == first
    assert len(queries) <= 5
    world, found = build
    Screenshot.objects.filter(build=found, story_id=STORIES[0]).update(title="Another")
    with pytest.raises(VisualReviewError, match="missing or damaged"):
        world.act("get_images", buildId=found.id)
