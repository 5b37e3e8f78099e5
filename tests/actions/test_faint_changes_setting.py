"""The setting whether faint changes make a screenshot changed."""

import io
from typing import Any

from PIL import Image as PILImage
from PIL import ImageDraw
from procrastinate.contrib.django.models import ProcrastinateJob

from tests.support.action_calls import act
from tests.support.images import encode_png, page
from tests.support.worlds import World
from visual_review.builds.comparing.complete import complete_recomparison
from visual_review.builds.comparing.measure import remeasure_build
from visual_review.builds.models import Build


def choose(world: World, *, count: bool) -> Any:  # noqa: ANN401 - A result.
    arguments = {"repoId": world.repository.id, "enabled": count}
    return act(world.persona, "change_boolean_setting", setting="counts_faint_changes", **arguments)


def publish_faint_change(world: World) -> Build:
    """Publish a page on which a light gray card turned white."""
    world.approve(world.publish({"a": page_with_card("#f2f2f2")}))
    return world.publish({"a": page_with_card("white")}, "topic")


def page_with_card(color: str, stamp: str = "white") -> bytes:
    """Return a page with a card and, in the lower right corner, a stamp of the given colors."""
    image = PILImage.open(io.BytesIO(page(400, 300, color, at=(200, 120))))
    ImageDraw.Draw(image).rectangle((360, 260, 389, 289), stamp)
    return encode_png(image)


def compare_again(build: Build) -> None:
    row = Build.objects.select_related("repository", "product").get(pk=build.pk)
    complete_recomparison(row.id, remeasure_build(row))


def test_faint_changes_need_a_review_unless_the_product_ignores_them(world: World) -> None:
    build = publish_faint_change(world)
    shot = world.shot(build, "a")
    assert (shot.diff_state, shot.diff_ratio, shot.only_in_regions) == ("changed", 0, False)
    assert shot.comparison is not None
    assert (shot.comparison.kind, shot.comparison.faint_pixels) == ("faint", 800)
    assert shot.comparison.has_picture
    assert (build.review_state, build.groups.count()) == ("unreviewed", 1)
    assert choose(world, count=False).compared_again == 1
    compare_again(build)
    build = world.fresh(build)
    assert world.shot(build, "a").diff_state == "unchanged"
    assert (build.review_state, build.groups.count()) == ("not_required", 0)
    choose(world, count=True)
    compare_again(build)
    assert world.fresh(build).review_state == "unreviewed"


def test_an_approved_faint_change_carries_over(world: World) -> None:
    build = publish_faint_change(world)
    world.approve(build)
    again = world.publish({"a": page_with_card("white")}, "other", target="main")
    shot = world.shot(again, "a")
    assert (shot.diff_state, shot.decision_source) == ("changed", "carried_over")
    assert again.review_state == "approved"


def test_a_faint_change_next_to_a_dynamic_region_counts(world: World) -> None:
    corner = {"x": 0.8, "y": 0.8, "width": 0.2, "height": 0.2}
    variant = {"storyId": "a", "theme": "light", "device": "desktop"}
    repository = world.repository.id
    world.act("set_dynamic_regions", repoId=repository, regions=[corner], **variant)
    world.approve(world.publish({"a": page_with_card("#f2f2f2")}))
    ignored = world.shot(world.publish({"a": page_with_card("#f2f2f2", "red")}, "x"), "a")
    assert (ignored.diff_state, ignored.only_in_regions) == ("unchanged", True)
    both = world.shot(world.publish({"a": page_with_card("white", "red")}, "y"), "a")
    assert (both.diff_state, both.only_in_regions, both.diff_ratio) == ("changed", False, 0)


def test_undecided_builds_of_the_product_are_compared_again_once(world: World) -> None:
    decided = world.publish({"a": "red"})
    world.approve(decided)
    undecided = world.publish({"a": "blue"}, branch="x")
    world.publish({"a": "blue"}, branch="y", product_key="other")
    assert choose(world, count=False).compared_again == 1
    assert choose(world, count=False).compared_again == 0
    jobs = ProcrastinateJob.objects.filter(task_name="compare_build")
    assert [job.args["build_id"] for job in jobs] == [undecided.id]
