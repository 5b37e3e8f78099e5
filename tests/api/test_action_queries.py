"""How many statements each action sends to the database, pinned."""

import pytest

from tests.support.action_arguments import Target
from tests.support.api_keys import call, user_key
from tests.support.case import Case
from tests.support.host_accounts import host_world
from tests.support.personas import Persona, Personas
from tests.support.scenes import scene
from tests.support.statements import counted_statements
from tests.support.worlds import World
from visual_review.actions.registry import callable_actions

# The first statement of each finds the caller. Those that begin and end a transaction are left out.
QUERIES = {
    "list_repos": 2,
    "list_host_repos": 3,  # The account and its repositories, next to the call of the host.
    "list_builds": 2,
    "get_build": 6,  # The build, its screenshots, groups, decision log and dynamic regions.
    "connect_repo": 7,  # The account is read, and locked after the call of the host.
    "rotate_repo_token": 6,
    "remove_repo": 8,  # Recordings, charge, token and job, next to the row.
    "set_repo_capture": 4,
    "set_org_capture": 6,
    "approve_build": 18,  # The set of the baseline is read, compared and written.
    "reject_build": 12,  # Who gets the event is looked up: channels, and who was asked.
    "review_screenshot": 10,
    "approve_all_screenshots": 18,  # Like approve_build.
    "approve_story_screenshots": 9,
    "enable_recordings": 8,  # A running charge is looked for before and after one is started.
    "disable_recordings": 6,
    "list_recordings": 2,
    "get_recording": 3,  # The recording and its attachments.
    "delete_recording": 5,
    "set_dynamic_regions": 7,  # Whether a build has the story is looked up.
    "find_builds": 4,
    "list_changes": 10,
    "get_images": 6,
    "review_changes": 29,  # A comment of a rejection is written to its thread.
    "get_decisions": 7,
    "get_history": 9,
    "request_review": 9,
    "comment": 12,
}


@scene
def reviewed_target(persona: Persona, stories: int) -> Target:
    """Return a pull request of a connected repository, with every kind of change."""
    world = World(persona)
    world.connect_host()
    host_world().add_repository("acme/another")
    before = {f"s{number}": "blue" for number in range(stories)}
    world.approve(world.publish({**before, "a": "red", "c": "red"}))
    after = {f"s{number}": "yellow" for number in range(stories)}
    build = world.publish({**after, "a": "green", "d": "white"}, branch="feature", target="main")
    for _ in range(stories):
        world.publish({**before, "a": "red", "c": "red"})
    target = Target(world, build, world.shot(build, "a"))
    target.calls["set_dynamic_regions"]["regions"] = [{"x": 0, "y": 0, "width": 1, "height": 1}]
    return target


def count_statements(target: Target, key: str, action: str) -> int:
    with counted_statements() as statements:
        response = call(key, action, target.calls[action])
    assert response.status_code == 200, response.content
    return len(statements)


@pytest.mark.parametrize("stories", [1, 4])
def test_each_action_sends_as_many_statements_as_pinned(
    case: Case, personas: Personas, stories: int
) -> None:
    target = reviewed_target(personas.alice, stories)
    key = user_key(personas.alice)
    # The first call of a minute records that the key was used.
    call(key, "list_repos", {})
    for action in callable_actions():
        with case(action.name):
            assert count_statements(target, key, action.name) == QUERIES[action.name]


def test_the_table_lists_the_actions_of_programs() -> None:
    assert QUERIES.keys() == {action.name for action in callable_actions()}
