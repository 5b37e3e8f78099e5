"""Reviewers, CI and jobs at the same moment, on a real PostgreSQL: 500 rounds in the deep run.

Each round must end with exactly one finalization, and no decision lost. A deadlock raises.
"""

from collections import Counter
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
from procrastinate.contrib.django.models import ProcrastinateJob

from tests.support.deciding import decide, decision_payload, newest_cursor, undo
from tests.support.depth import rounds
from tests.support.personas import Persona, Personas
from tests.support.threads import Racers
from tests.support.worlds import World
from visual_review.actions.dispatch import dispatch
from visual_review.actions.registry import any_action
from visual_review.audit.log import SYSTEM
from visual_review.audit.models import AuditEntry
from visual_review.builds.comparing.complete import complete_recomparison
from visual_review.builds.comparing.measure import remeasure_build
from visual_review.builds.models import BaselineVersion, Build, ReviewEntry, Screenshot
from visual_review.builds.publishing.finish import finish_shard
from visual_review.builds.queries import count_screenshots
from visual_review.builds.reviewing.plan import OverrideNeededError
from visual_review.builds.states import BuildApprovedError

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.search]

WHOLE = [{"x": 0, "y": 0, "width": 1, "height": 1}]


@pytest.fixture
def world(personas: Personas) -> World:
    return World(personas.bob)


def call(persona: Persona, name: str, **payload: object) -> Callable[[], Any]:
    """A call of an action, to be made later in a thread."""
    return partial(dispatch, any_action(name), persona.caller, payload)


def log_of(build: Build, after: int = 0) -> Counter[tuple[str, bool, str]]:
    """How often each decision was made, on screenshots (False) or the build (True), by whom."""
    rows = ReviewEntry.objects.filter(build=build, pk__gt=after)
    return Counter((row.decision, row.screenshot_id is None, row.decided_by_name) for row in rows)


def versions_of(build: Build) -> int:
    return BaselineVersion.objects.filter(build=build).count()


def colors(number: int) -> dict[str, str]:
    """Return two screenshots unlike the ones of the round before."""
    palette = ("red", "green", "blue", "yellow")
    return {"a": palette[number % 4], "b": palette[(number + 1) % 4]}


def test_two_reviewers_who_decide_the_last_two_screenshots_finalize_once(
    world: World, personas: Personas, two_threads: Racers
) -> None:
    build = world.publish({"a": "red", "b": "green"})
    shots = [world.shot(build, story).id for story in "ab"]
    for number in range(1, rounds(20, 200) + 1):
        world.act("reject_build", buildId=build.id)
        before = ReviewEntry.objects.latest("id").pk
        results = two_threads.race(
            call(personas.alice, "review_screenshot", screenshotId=shots[0], state="approved"),
            call(personas.bob, "review_screenshot", screenshotId=shots[1], state="approved"),
        )
        assert sorted(result.finalized for result in results) == [False, True]
        last = "Alice" if results[0].finalized else "Bob"
        assert log_of(build, before) == {
            ("approved", False, "Alice"): 1,
            ("approved", False, "Bob"): 1,
            ("approved", True, last): 1,
        }
        assert versions_of(build) == number
        row = world.fresh(build)
        assert (row.review_state, row.decided_by_name) == ("approved", last)
    assert world.baseline() == {"a": "red", "b": "green"}


def test_two_requests_for_the_rest_of_a_build_finalize_once(
    world: World, personas: Personas, two_threads: Racers
) -> None:
    for number in range(rounds(3, 75)):
        build = world.publish(colors(number))
        whole = {"build": True, "confirmed": ["finalize"]}
        requests = [decision_payload(build, "approved", **whole) for _ in range(2)]
        # Bob's request is sent twice at once, as after a lost response.
        results = two_threads.race(
            call(personas.bob, "decide_screenshots", **requests[0]),
            call(personas.bob, "decide_screenshots", **requests[0]),
        )
        assert results[0] == results[1]
        assert results[0].finalized
        again = call(personas.alice, "decide_screenshots", **requests[1])()
        assert (again.decided, again.version) == (0, None)
        assert versions_of(build) == 1
        assert log_of(build) == {("approved", False, "Bob"): 2, ("approved", True, "Bob"): 1}


def test_of_two_reviewers_at_once_the_second_is_asked_before_replacing(
    world: World, personas: Personas, two_threads: Racers
) -> None:
    build = world.publish({"a": "red", "b": "green"})
    for _ in range(rounds(4, 100)):
        decide(personas.alice, build, "cleared", build=True)
        seen = newest_cursor(build)
        chosen = {"shots": ["a"], "seen": seen}
        results = two_threads.race(
            outcome(personas.alice, decision_payload(build, "approved", **chosen)),
            outcome(personas.bob, decision_payload(build, "rejected", **chosen)),
        )
        asked = [isinstance(result, OverrideNeededError) for result in results]
        assert sorted(asked) == [False, True]
        first = "Bob" if asked[0] else "Alice"
        assert world.shot(build, "a").decided_by_name == first


def outcome(persona: Persona, payload: dict[str, Any]) -> Callable[[], Any]:
    """A request whose question is returned, not raised."""

    def run() -> object:
        try:
            return call(persona, "decide_screenshots", **payload)()
        except OverrideNeededError as error:
            return error

    return run


def test_an_undo_against_the_approval_of_the_build_loses_nothing(
    world: World, personas: Personas, two_threads: Racers
) -> None:
    for number in range(rounds(3, 75)):
        build = world.publish(colors(number))
        done = decide(personas.bob, build, "approved", shots=["a"])
        undoing = partial(try_undo, personas.bob, build, done.decision_id)
        undone, approved = two_threads.race(
            undoing, call(personas.alice, "approve_build", buildId=build.id)
        )
        assert approved.finalized
        assert world.fresh(build).review_state == "approved"
        decisions = set(build.screenshots.values_list("review_decision", flat=True))
        assert decisions == {"approved"}
        decider = world.shot(build, "a").decided_by_name
        assert decider == ("Alice" if undone else "Bob")
        assert versions_of(build) == 1


def try_undo(persona: Persona, build: Build, decision_id: str) -> bool:
    try:
        undo(persona, build, decision_id)
    except BuildApprovedError:
        return False
    return True


def test_approval_against_rejection_keeps_both_and_moves_once(
    world: World, personas: Personas, two_threads: Racers
) -> None:
    for number in range(rounds(8, 75)):
        build = world.publish(colors(number))
        two_threads.race(
            call(personas.alice, "approve_build", buildId=build.id),
            call(personas.bob, "reject_build", buildId=build.id),
        )
        assert log_of(build) == {
            ("approved", False, "Alice"): 2,
            ("approved", True, "Alice"): 1,
            ("rejected", False, "Bob"): 2,
            ("rejected", True, "Bob"): 1,
        }
        assert versions_of(build) == 1
        assert world.baseline() == colors(number)
        last = ReviewEntry.objects.filter(build=build, screenshot=None).latest("id")
        assert world.fresh(build).review_state == last.decision
        decided = Screenshot.objects.filter(build=build).values_list("review_decision", flat=True)
        assert set(decided) == {last.decision}


def test_two_builds_of_a_branch_move_its_baseline_one_after_the_other(
    world: World, personas: Personas, two_threads: Racers
) -> None:
    for number in range(rounds(8, 50)):
        older, newer = (world.publish(colors(number + each)) for each in (1, 2))
        results = two_threads.race(
            call(personas.alice, "approve_build", buildId=older.id),
            call(personas.bob, "approve_build", buildId=newer.id),
        )
        assert {result.baseline_move for result in results} == {2 * number + 1, 2 * number + 2}
        rolled_back = results[0].baseline_move > results[1].baseline_move
        assert bool(results[0].warnings) is rolled_back
        assert not results[1].warnings
        assert world.baseline() == colors(number + (1 if rolled_back else 2))


def test_pull_requests_into_each_other_do_not_wait_in_a_circle(
    world: World, personas: Personas, two_threads: Racers
) -> None:
    for branch in ("left", "right"):
        world.approve(world.publish({"a": "white"}, branch))
    for number in range(rounds(8, 50)):
        there = world.publish(colors(number), "left", target="right")
        back = world.publish(colors(number + 1), "right", target="left")
        two_threads.race(
            call(personas.alice, "approve_build", buildId=there.id),
            call(personas.bob, "approve_build", buildId=back.id),
        )
        assert (world.baseline("left"), world.baseline("right")) == (
            colors(number),
            colors(number + 1),
        )


@pytest.mark.parametrize("shards", [1, 2])
def test_finish_against_finish_publishes_once(
    world: World, four_threads: Racers, shards: int
) -> None:
    for number in range(rounds(4, 25)):
        build = world.upload(colors(number), shards=shards)
        # Each shard's finish is sent again, as after a lost response.
        four_threads.race(
            *[
                partial(finish_shard, world.repository, build.id, index % shards + 1, SYSTEM)
                for index in range(4)
            ]
        )
        published = AuditEntry.objects.filter(verb="build.published", target_id=build.id)
        jobs = ProcrastinateJob.objects.filter(task_name="process_build", args__build_id=build.id)
        assert (published.count(), jobs.count()) == (1, 1)
        assert world.fresh(build).status == "processing"


def test_regions_against_an_approval_leave_a_decided_build_alone(
    world: World, personas: Personas, four_threads: Racers
) -> None:
    world.approve(world.publish({"a": "white", "b": "white"}))
    place = {"repoId": world.repository.id, "storyId": "a", "theme": "light", "device": "desktop"}
    for number in range(rounds(8, 75)):
        build = world.publish(colors(number), f"round-{number}", target="main")
        shown = [] if number % 2 else WHOLE
        results = four_threads.race(
            call(personas.alice, "set_dynamic_regions", **place, regions=shown),
            partial(compare_again, build),
            call(personas.bob, "approve_build", buildId=build.id),
            partial(compare_again, build),
        )
        assert results[2].finalized
        row = world.fresh(build)
        assert (row.review_state, row.decided_by_name, versions_of(build)) == ("approved", "Bob", 1)
        assert log_of(build)["approved", True, "Bob"] == 1
        assert world.baseline(f"round-{number}") == colors(number)
        counts = count_screenshots(row)
        assert (counts.changed, counts.unchanged) == (row.changed_count, row.unchanged_count)
        assert not counts.open
        # Or the same pair would be carried over to a later round.
        world.act("reject_build", buildId=build.id)


def compare_again(build: Build) -> None:
    """Run the background job."""
    row = Build.objects.select_related("repository", "product").get(pk=build.pk)
    complete_recomparison(row.id, remeasure_build(row))
