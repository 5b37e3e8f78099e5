"""The hints of every action agree with the writes of its first and its second call."""

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

from django.db import transaction

from tests.support.action_arguments import Target
from tests.support.api_keys import call, user_key
from tests.support.case import Case
from tests.support.host_accounts import host_world
from tests.support.personas import Persona, Personas
from tests.support.saved_rows import stored_rows
from tests.support.scenes import scene
from tests.support.worlds import World
from visual_review.actions.registry import callable_action, callable_actions

NAMES = [action.name for action in callable_actions()]
READING = [action.name for action in callable_actions() if action.read_only]
CHANGING = [name for name in NAMES if name not in READING]
WHOLE_IMAGE = [{"x": 0, "y": 0, "width": 1, "height": 1}]


@scene
def open_build(persona: Persona) -> Target:
    """Return a pull request with undecided screenshots, on a connected repository."""
    world = World(persona)
    world.connect_host()
    host_world().add_repository("acme/another")
    world.approve(world.publish({"a": "red", "c": "red"}))
    build = world.publish({"a": "green", "b": "white"}, branch="feature", target="main")
    target = Target(world, build, world.shot(build, "a"))
    target.calls["review_screenshot"] |= {"state": "rejected", "comment": "The label is cropped."}
    target.calls["set_dynamic_regions"]["regions"] = WHOLE_IMAGE
    return target


def written_by(key: str, target: Target, name: str, statuses: set[int]) -> Counter[str]:
    """Call the action and return the number of added or changed rows of each table."""
    before = stored_rows()
    assert call(key, name, target.calls[name]).status_code in statuses
    return Counter(table for table, _ in (stored_rows() - before).elements())


@contextmanager
def undone() -> Iterator[None]:
    """Undo the writes of the block, so that each action finds the same rows."""
    point = transaction.savepoint()
    try:
        yield
    finally:
        transaction.savepoint_rollback(point)


def test_a_read_only_action_writes_nothing(case: Case, personas: Personas) -> None:
    target = open_build(personas.alice)
    key = user_key(personas.alice)
    for name in READING:
        with case(name):
            written = written_by(key, target, name, {200})
            # Seen images are evidence of later decisions.
            assert set(written) == ({"builds_imageview"} if name == "get_images" else set())


def test_a_second_call_writes_what_the_hint_says(case: Case, personas: Personas) -> None:
    target = open_build(personas.alice)
    key = user_key(personas.alice)
    for name in CHANGING:
        with case(name), undone():
            assert written_by(key, target, name, {200})
            # A thing removed or connected by the first call is gone, or already there.
            again = written_by(key, target, name, {200, 404, 409})
            assert bool(again) is not callable_action(name).hints.idempotent, again
