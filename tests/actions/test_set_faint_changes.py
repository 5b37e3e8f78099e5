"""The setting whether faint changes make a screenshot changed."""

from typing import Any

import pytest
from procrastinate.contrib.django.models import ProcrastinateJob

from tests.support.action_calls import act, error_of
from tests.support.personas import Personas
from tests.support.worlds import World
from visual_review.audit.models import AuditEntry
from visual_review.builds.comparing.complete import complete_recomparison
from visual_review.builds.comparing.measure import remeasure_build
from visual_review.builds.models import Build, Comparison
from visual_review.kernel.errors import ForbiddenError, InvalidInputError, NotFoundError

# Their colors differ by less than the threshold.
WHITE, ALMOST_WHITE = "white", "#fafafa"


@pytest.fixture
def world(personas: Personas) -> World:
    return World(personas.alice)


def choose(world: World, *, count: bool, **more: object) -> Any:  # noqa: ANN401 - A result.
    arguments = {"repoId": world.repository.id, "count": count, **more}
    return act(world.persona, "set_faint_changes", **arguments)


def publish_faint_change(world: World) -> Build:
    """Publish a build with a pair below the threshold, marked as a large faint change."""
    world.act("approve_build", buildId=world.publish({"a": WHITE}).id)
    build = world.publish({"a": ALMOST_WHITE}, "topic")
    # The images of these tests are smaller than any faint change that counts.
    Comparison.objects.update(is_faintly_changed=True, faint_pixels=16, kind="faint")
    compare_again(build)
    return world.fresh(build)


def compare_again(build: Build) -> None:
    row = Build.objects.select_related("repository", "product").get(pk=build.pk)
    complete_recomparison(row.id, remeasure_build(row))


def test_faint_changes_need_a_review_unless_the_product_ignores_them(world: World) -> None:
    build = publish_faint_change(world)
    shot = world.shot(build, "a")
    assert (shot.diff_state, shot.diff_ratio, shot.only_in_regions) == ("changed", 0, False)
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
    world.act("approve_build", buildId=build.id)
    again = world.publish({"a": ALMOST_WHITE}, "topic", target="main")
    assert again.review_state in {"approved", "not_required"}


def test_undecided_builds_of_the_product_are_compared_again_once(world: World) -> None:
    decided = world.publish({"a": "red"})
    world.act("approve_build", buildId=decided.id)
    undecided = world.publish({"a": "blue"}, branch="x")
    world.publish({"a": "blue"}, branch="y", product_key="other")
    assert choose(world, count=False).compared_again == 1
    assert choose(world, count=False).compared_again == 0
    jobs = ProcrastinateJob.objects.filter(task_name="compare_build")
    assert [job.args["build_id"] for job in jobs] == [undecided.id]


def test_a_change_is_logged_once(world: World) -> None:
    for count in (True, False, False):
        choose(world, count=count)
    entry = AuditEntry.objects.get(verb="product.faint_changes_changed")
    assert (entry.before, entry.after) == (
        {"count": True},
        {"count": False, "buildsComparedAgain": 0},
    )


def test_wrong_input_and_callers_are_rejected(world: World, personas: Personas) -> None:
    right: dict[str, object] = {"repoId": world.repository.id, "count": False}
    for error, persona, wrong in (
        (InvalidInputError, personas.alice, {"count": "no"}),
        (NotFoundError, personas.alice, {"productKey": "none"}),
        (NotFoundError, personas.mallory, {}),
        (ForbiddenError, personas.bob, {}),
    ):
        error_of(error, persona, "set_faint_changes", **{**right, **wrong})
