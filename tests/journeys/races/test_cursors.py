"""A page that follows a build misses no decision, however many are made at the same moment."""

from collections.abc import Sequence
from functools import partial
from threading import Event

import pytest

from tests.support.depth import rounds
from tests.support.personas import Personas
from tests.support.threads import WAIT_SECONDS, Racers
from tests.support.worlds import World
from visual_review.actions.dispatch import dispatch
from visual_review.actions.registry import any_action
from visual_review.builds.cursors import cursor_of, find_decided_since
from visual_review.builds.models import Build, Screenshot

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.search]

MOST = 1000


def decide(world: World, shots: Sequence[Screenshot]) -> set[str]:
    """Reject each screenshot in a transaction of its own."""
    for shot in shots:
        payload = {"screenshotId": shot.id, "state": "rejected"}
        dispatch(any_action("review_screenshot"), world.persona.caller, payload)
    return {shot.id for shot in shots}


def follow(build: Build, began: Event, ended: Event) -> set[str]:
    """Ask for all decisions since the last response, again and again, until the others ended.

    Decisions made before ``began`` is set belong to the loaded page.
    """
    seen, cursor = set[str](), cursor_of(build.id)
    began.set()
    while True:
        is_last = ended.is_set()
        newer = cursor_of(build.id)
        seen |= set(find_decided_since(build.id, cursor, MOST) or ())
        cursor = newer
        if is_last:
            return seen


def test_a_page_misses_no_decision_of_several_reviewers(
    personas: Personas, four_threads: Racers
) -> None:
    world = World(personas.bob)
    for number in range(rounds(1, 30)):
        stories = {f"s{index:02}": "red" for index in range(12)}
        build = world.publish(stories, f"branch-{number}")
        shots = list(Screenshot.objects.filter(build=build))
        began, ended = Event(), Event()
        page = four_threads.pool.submit(follow, build, began, ended)
        assert began.wait(WAIT_SECONDS)
        works = [partial(decide, world, shots[index::3]) for index in range(3)]
        decided = set().union(*four_threads.race(*works))
        ended.set()
        assert page.result(60) == decided == {shot.id for shot in shots}
