from typing import Any

import pytest
from procrastinate.contrib.django.models import ProcrastinateJob

from tests.support.action_calls import act, error_of, invalid_fields, only_entry
from tests.support.personas import Personas
from tests.support.worlds import World
from visual_review.audit.models import AuditEntry
from visual_review.builds.variants import Variant
from visual_review.kernel.errors import ForbiddenError, NotFoundError
from visual_review.repositories.models import OrganizationCapture, Product
from visual_review.repositories.regions import regions_of

VARIANT_FIELDS = {"storyId": "a", "theme": "light", "device": "desktop"}
BOX = {"x": 0.25, "y": 0, "width": 0.5, "height": 1}
VARIANT = ("a", "light", "desktop")


@pytest.fixture
def world(personas: Personas) -> World:
    return World(personas.bob)


def put(world: World, regions: list[dict[str, Any]], **more: object) -> Any:  # noqa: ANN401 - A result.
    arguments = {"repoId": world.repository.id, **VARIANT_FIELDS, "regions": regions, **more}
    return act(world.persona, "set_dynamic_regions", **arguments)


def stored(world: World, key: str = "default") -> list[dict[str, float]]:
    return regions_of(world.repository.products.get(key=key)).get(VARIANT, [])


def test_a_set_replaces_the_previous_one_and_an_empty_one_clears_it(world: World) -> None:
    put(world, [BOX, {"x": 0, "y": 0, "width": 0.1, "height": 0.1}])
    result = put(world, [BOX])
    assert [region.model_dump() for region in result.regions] == stored(world) == [BOX]
    put(world, [])
    assert stored(world) == []


def test_regions_are_clipped_and_empty_or_repeated_ones_omitted(world: World) -> None:
    put(
        world,
        [
            {"x": 0.5, "y": 0.5, "width": 1, "height": 0.75},
            {"x": 1, "y": 0, "width": 0.5, "height": 0.5},
            {"x": 0.1, "y": 0.1, "width": 0, "height": 0.5},
            BOX,
            BOX,
        ],
    )
    assert stored(world) == [{"x": 0.5, "y": 0.5, "width": 0.5, "height": 0.5}, BOX]


def test_a_region_that_is_not_stored_as_sent_is_warned_of(world: World) -> None:
    world.publish({"a": "red"})
    beyond = {"x": 0.5, "y": 0, "width": 0.75, "height": 1}
    empty = {"x": 0.5, "y": 0, "width": 0, "height": 1}
    assert put(world, [beyond, BOX, empty]).warnings == [
        "Regions without an area inside the image were left out: /regions/2.",
        "Regions that reach beyond the image were clipped: /regions/0.",
    ]
    # The request also clears all stored regions, unasked by the caller.
    [warning] = put(world, [empty]).warnings
    assert "left out: /regions/0." in warning


def test_undecided_builds_with_the_variant_are_compared_again(world: World) -> None:
    decided = world.publish({"a": "red"})
    world.approve(decided)
    undecided = world.publish({"a": "blue"}, branch="x")
    world.publish({"a": "blue"}, branch="y", matrix=(Variant("light", "phone"),))
    result = put(world, [BOX])
    jobs = ProcrastinateJob.objects.filter(task_name="compare_build")
    assert [job.args["build_id"] for job in jobs] == [undecided.id]
    assert result.compared_again == 1


def test_the_same_set_again_changes_nothing(world: World) -> None:
    world.publish({"a": "blue"})
    put(world, [BOX])
    assert put(world, [BOX]).compared_again == 0
    assert AuditEntry.objects.filter(verb="product.regions_changed").count() == 1


def test_a_change_is_logged(world: World) -> None:
    put(world, [BOX])
    entry = only_entry("product.regions_changed")
    assert entry.before == {**VARIANT_FIELDS, "regions": []}
    assert entry.after == {**VARIANT_FIELDS, "regions": [BOX], "buildsComparedAgain": 0}


@pytest.mark.parametrize(
    ("wrong", "pointer"),
    [
        ({"regions": [{**BOX, "x": 1.01}]}, "/regions/0/x"),
        ({"regions": [BOX, {**BOX, "height": -0.01}]}, "/regions/1/height"),
        ({"regions": [{**BOX, "x": "0.5"}]}, "/regions/0/x"),
        ({"regions": [{**BOX, "x": True}]}, "/regions/0/x"),
        ({"regions": [{**BOX, "x": 10**400}]}, "/regions/0/x"),
        ({"regions": [{**BOX, "z": 1}]}, "/regions/0/z"),
        ({"regions": [{"x": 0, "y": 0, "width": 1}]}, "/regions/0/height"),
        ({"regions": {}}, "/regions"),
        ({"regions": [BOX] * 201}, "/regions"),
        ({"regions": [BOX], "theme": "Light"}, "/theme"),
        ({"regions": [BOX], "device": "watch"}, "/device"),
        ({"regions": [BOX], "storyId": "x" * 301}, "/storyId"),
        ({}, "/regions"),
    ],
)
def test_invalid_input_is_rejected_with_its_location(
    world: World, wrong: dict[str, object], pointer: str
) -> None:
    arguments = {"repoId": world.repository.id, **VARIANT_FIELDS, **wrong}
    assert invalid_fields(world.persona, "set_dynamic_regions", **arguments) == [pointer]
    assert stored(world) == []


def test_unknown_ids_and_products_are_not_found(world: World, personas: Personas) -> None:
    foreign = World(personas.mallory, "evil/web").repository.id
    for wrong in ({"repoId": "repo_none"}, {"repoId": foreign}, {"productKey": "none"}):
        arguments = {"repoId": world.repository.id, **VARIANT_FIELDS, "regions": [], **wrong}
        error_of(NotFoundError, world.persona, "set_dynamic_regions", **arguments)


def test_a_viewer_is_forbidden(world: World, personas: Personas) -> None:
    arguments = {"repoId": world.repository.id, **VARIANT_FIELDS, "regions": []}
    error_of(ForbiddenError, personas.carol, "set_dynamic_regions", **arguments)


def test_a_story_that_no_build_has_is_accepted_with_a_warning(world: World) -> None:
    world.publish({"a": "red", "button--primary": "blue"})
    assert put(world, [BOX]).warnings == []
    [warning] = put(world, [BOX], storyId="Buton--primary").warnings
    assert 'has the story "Buton--primary"' in warning
    assert 'Did you mean "button--primary"?' in warning
    [warning] = put(world, [BOX], storyId="something else").warnings
    assert "Did you mean" not in warning
    # Another product's story is not this product's.
    Product.objects.create(repository=world.repository, key="docs")
    assert len(put(world, [BOX], productKey="docs").warnings) == 1


def test_clearing_the_regions_of_a_story_that_is_gone_is_not_warned_of(world: World) -> None:
    put(world, [BOX], storyId="gone")
    # The second call repeats the first one, like a client after a lost response.
    for _ in range(2):
        assert put(world, [], storyId="gone").warnings == []


def test_clearing_regions_of_a_variant_that_is_not_captured_is_not_warned_of(
    world: World, personas: Personas
) -> None:
    world.publish({"a": "red"})
    repo = world.repository.id
    act(personas.alice, "set_repo_capture", repoId=repo, themes=["light"], devices=["desktop"])
    for _ in range(2):
        assert put(world, [], device="phone").warnings == []


def test_a_variant_that_is_not_captured_is_accepted_with_a_warning(
    world: World, personas: Personas
) -> None:
    world.publish({"a": "red"})
    repo = world.repository.id
    act(personas.alice, "set_repo_capture", repoId=repo, themes=["light"], devices=["desktop"])
    [warning] = put(world, [BOX], device="phone").warnings
    assert warning.startswith("The next builds do not capture light/phone: they capture the themes")
    act(personas.alice, "set_repo_capture", repoId=repo, redetect=True)
    assert put(world, [BOX], device="phone", theme="dark").warnings == []
    OrganizationCapture.objects.create(
        organization=world.repository.organization, themes=["light"], devices=["phone"]
    )
    Product.objects.update(detection_armed=False)
    assert put(world, [BOX], device="phone").warnings == []
    assert len(put(world, [BOX]).warnings) == 1
