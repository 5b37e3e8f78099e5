"""Reviewers and a re-comparison that meet in the same group, on a real PostgreSQL."""

from functools import partial

import pytest

from tests.support.deciding import decide
from tests.support.depth import rounds
from tests.support.personas import Personas
from tests.support.threads import Racers
from tests.support.worlds import World
from visual_review.audit.models import AuditEntry
from visual_review.builds.comparing.complete import complete_recomparison
from visual_review.builds.comparing.measure import remeasure_build
from visual_review.builds.models import Build, ChangeGroup, ReviewEntry

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.search]

CARDS = ("card--a", "card--b")


def publish_group(world: World, number: int) -> ChangeGroup:
    """Publish two screenshots with the same change, and one with another change."""
    # The approval of an earlier round must not carry over.
    shots = dict.fromkeys(CARDS, f"#00ff{number:02x}") | {"menu": "blue"}
    build = world.publish(shots, f"branch-{number}")
    return ChangeGroup.objects.get(build=build, screenshot_count=2)


def approve(world: World, group: ChangeGroup) -> int:
    """Approve the group; return the number of screenshots decided by this call."""
    return int(decide(world.persona, group.build, "approved", groups=[group]).decided)


def compare_again(build: Build) -> None:
    row = Build.objects.select_related("repository", "product").get(pk=build.pk)
    complete_recomparison(row.id, remeasure_build(row))


@pytest.fixture
def world(personas: Personas) -> World:
    world = World(personas.bob)
    first = world.publish(dict.fromkeys([*CARDS, "menu"], "red"))
    world.approve(first)
    return world


def test_a_group_that_is_approved_twice_at_once_is_approved_once(
    world: World, two_threads: Racers
) -> None:
    for number in range(rounds(4, 100)):
        group = publish_group(world, number)
        results = two_threads.race(*[partial(approve, world, group)] * 2)
        assert sorted(results) == [0, 2]
        assert ReviewEntry.objects.filter(build=group.build_id).count() == 2
        entries = AuditEntry.objects.filter(verb="group.approved", target_id=group.build_id)
        assert entries.count() == 1


def test_a_recomparison_at_the_same_moment_loses_no_decision(
    world: World, two_threads: Racers
) -> None:
    for number in range(rounds(4, 100)):
        group = publish_group(world, number)
        result, _ = two_threads.race(
            partial(approve, world, group), partial(compare_again, group.build)
        )
        assert result == 2
        shots = group.build.screenshots.filter(group=group)
        assert list(shots.values_list("review_decision", flat=True)) == ["approved"] * 2
        assert group.build.groups.count() == 2
