"""How many statements actions, decisions and pages send to the database."""

import json
from collections.abc import Callable

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from tests.support.action_arguments import Target
from tests.support.api_keys import call, user_key
from tests.support.case import Case
from tests.support.deciding import decision_payload
from tests.support.host_accounts import host_world
from tests.support.pages import signed_in
from tests.support.personas import Persona, Personas
from tests.support.scenes import scene
from tests.support.statements import counted_statements
from tests.support.worlds import World, build_with_groups
from visual_review.accounts.callers import caller_of_user
from visual_review.accounts.keys import NewKey, create_key
from visual_review.accounts.models import Membership, User
from visual_review.accounts.oauth.client_rules import ClientMetadata
from visual_review.accounts.oauth.clients import register
from visual_review.accounts.oauth.grants import connect
from visual_review.actions.registry import callable_actions
from visual_review.builds.models import Baseline, DecisionBatch, ReviewEntry
from visual_review.repositories.models import Product

# The first statement of each finds the caller. The begin and end of a transaction do not count.
QUERIES = {
    "list_repos": 2,
    "list_host_repos": 3,  # The account and its repositories, next to the call of the host.
    "list_builds": 2,
    "get_build": 10,  # The build, its screenshots, their images and comparisons, groups, decision log and dynamic regions.
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
    "list_changes": 13,
    "get_images": 6,
    "review_changes": 29,  # A comment of a rejection is written to a thread.
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
    # The first call of a minute records the use of the key.
    call(key, "list_repos", {})
    for action in callable_actions():
        with case(action.name):
            assert count_statements(target, key, action.name) == QUERIES[action.name]


def test_the_table_lists_the_actions_of_programs() -> None:
    assert QUERIES.keys() == {action.name for action in callable_actions()}


# Three find the person, two read the rows and four the page's part of the build.
DECISION = 15
# The comment is written to a thread: the entry, the screenshot, the thread and its revision; and
# members, channels and authors who get the event are looked for.
THREAD = 8
# Reads the decisions of the batch, and all decisions since.
UNDO = 20
PREVIEW = 8
# Messages are queued by one, and their jobs by one.
NOTIFICATION = 2


@pytest.mark.parametrize("is_connected", [False, True])
def test_a_decision_sends_as_many_statements_as_pinned(
    case: Case, personas: Personas, *, is_connected: bool
) -> None:
    world, build = build_with_groups(personas.bob)
    if is_connected:
        world.connect_host()
    client = signed_in(personas.bob)
    notification = NOTIFICATION if is_connected else 0

    def count_statements(what: str, payload: dict[str, object] | None = None) -> int:
        url = f"/builds/{build.id}/{what}"
        with counted_statements() as statements:
            if payload is None:
                response = client.get(url)
            else:
                response = client.post(url, json.dumps(payload), "application/json")
        assert response.status_code == 200, response.content
        return len(statements)

    def decide(decision: str, **more: object) -> int:
        payload = decision_payload(build, decision, shots=["card--a", "card--d"], **more)
        del payload["buildId"]
        return count_statements("decisions", payload)

    with case("approved"):
        assert decide("approved") == DECISION + notification
    with case("rejected, with a comment that is posted"):
        assert decide("rejected", comment="No") == DECISION + THREAD + notification
    with case("previewed"):
        assert count_statements("approval.json") == PREVIEW
    with case("undone"):
        decide("approved")
        batch = DecisionBatch.objects.get()
        payload: dict[str, object] = {"requestId": "undo", "decisionId": batch.pk}
        assert count_statements("undo", payload) == UNDO + notification
        assert ReviewEntry.objects.filter(decision="undone").count() == 2


def test_the_number_of_queries_does_not_grow_with_the_data(personas: Personas) -> None:
    world = World(personas.alice)
    client = signed_in(personas.alice)
    _more(world, 1)
    build = world.publish({"a": "blue", "b": "green"})
    repository = f"/repositories/{world.repository.id}"
    urls: dict[str, Callable[[], str]] = {
        "repositories": lambda: "/repositories",
        "builds": lambda: repository,
        "settings": lambda: f"{repository}/settings",
        "baselines": lambda: f"{repository}/baselines",
        "baseline": lambda: f"/baselines/{Baseline.objects.earliest('id').id}",
        "build": lambda: f"/builds/{build.id}?show=all",
        "keys": lambda: "/keys",
        "members": lambda: "/members",
        "audit": lambda: "/audit",
        "apps": lambda: "/account/apps",
    }

    def count_queries() -> dict[str, int]:
        found = {}
        for name, url in urls.items():
            with CaptureQueriesContext(connection) as queries:
                assert client.get(url()).status_code == 200
            found[name] = len(queries)
        return found

    few = count_queries()
    _more(world, 4)
    build = world.publish({f"s-{number}": "green" for number in range(15)}, branch="new")
    many = count_queries()
    assert many == few
    assert max(few.values()) < 20


def _more(world: World, count: int) -> None:
    """Create more of everything listed on pages."""
    for number in range(count):
        name = f"{count}-{number}"
        World(world.persona, f"acme/{name}")
        Product.objects.create(repository=world.repository, key=name)
        world.approve(world.publish({"a": "red"}, branch=name))
        world.approve(world.publish({"a": "green"}, branch=name))
        world.publish({"a": "red"}, branch=name, target="1-0")
        world.publish({"a": "red"}, branch=name, target="1-0")
        create_key(world.persona.caller, NewKey("user", name, []))
        world.act("invite_member", email=f"{name}@example.com", role="viewer")
        user = User.objects.create_user(f"member-{name}@example.com")
        organization = world.persona.organization
        Membership.objects.create(organization=organization, user=user, role="viewer")
        client = register(ClientMetadata(name, ("http://localhost/callback",)))
        for person in (world.persona.user, user):
            connect(caller_of_user(person, organization.id, "web"), client, "read", "read")
