"""REST and MCP are one interface: the same effect, result, words and audit entry for each call."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import cycle
from typing import Any

import pytest

from tests.connected_host import connect_account
from tests.doors.arguments import VARIANT, Target, calls
from tests.doors.keys import organization_key, user_key
from tests.doors.mcp.client import ERAS, Endpoint
from tests.doors.mcp.parity import Answer, Seen, mcp, rest, seen, undone
from tests.personas import Personas
from tests.worlds import World
from visual_review.accounts.permissions import PUBLISHED
from visual_review.actions.registry import published_action, published_actions
from visual_review.builds.models import Build, Screenshot
from visual_review.repositories.models import HostAccount

NAMES = [action.name for action in published_actions()]
IDS = ("repoId", "buildId", "screenshotId", "recordingId", "productKey", "storyId")
CLIENTS = {"test-robot", "Test Robot"}
# In place of any one argument: each JSON type, and texts and lists that fit nowhere.
ODD: tuple[Any, ...] = (
    *(None, True, -1.5, 10.0, 2**60, "", "a\0b", "\U0001f600" * 400),
    *([], ["nonsense"], [{"x": 2, "y": 0, "width": "1", "height": 0}], {"x": {"y": [None]}}),
)
Payload = dict[str, Any]


@dataclass(frozen=True)
class Scene:
    """A changed build to decide on, one that is still uploading, and a failed screenshot."""

    on: Target
    uploading: Build
    failed: Screenshot


@pytest.fixture
def scene(personas: Personas) -> Scene:
    world = World(personas.alice)
    first = world.publish({"a": "red", "gone": "blue", "same": "white"})
    world.act("approve_build", buildId=first.id)
    build = world.publish({"a": "green", "same": "white", "more": "blue", "broken": "error"})
    uploading = world.upload({"a": "yellow"}, branch="other")
    connect_account(personas.alice, world.repository.full_name, "acme/another")
    on = Target(world, build, world.shot(build, "a"))
    return Scene(on, uploading, world.shot(build, "broken"))


def allowed(scene: Scene, name: str) -> list[Payload]:
    """Arguments that succeed; of actions that may change nothing also some that do."""
    plain = calls(scene.on)[name]
    repo = {"repoId": scene.on.world.repository.id}
    shot = {"screenshotId": scene.on.screenshot.id}
    region = {"x": 0, "y": 0.5, "width": 1, "height": 0.25}
    richer: dict[str, list[Payload]] = {
        "list_builds": [{**repo, "limit": 1.0, "productKey": "default"}],
        "review_screenshot": [{**shot, "state": "rejected", "comment": "Too <b>blue</b>\n\u202e"}],
        "set_dynamic_regions": [{**repo, **VARIANT, "regions": [region]}],
        "set_org_capture": [{"dismissDetectionNotice": True}],
        "set_repo_capture": [{**repo, "redetect": True}],
    }
    return [plain, *richer.get(name, [])]


def _without_account(scene: Scene) -> Payload:
    HostAccount.objects.filter(organization=scene.on.world.persona.organization).delete()
    return {}


# A new action goes into one of the two tables below, or the first test fails.
CONFLICTS: dict[str, Callable[[Scene], Payload]] = {
    "list_host_repos": _without_account,
    "connect_repo": lambda scene: {"fullName": scene.on.world.repository.full_name},
    "approve_build": lambda scene: {"buildId": scene.uploading.id},
    "reject_build": lambda scene: {"buildId": scene.uploading.id},
    "approve_all_screenshots": lambda scene: {"buildId": scene.uploading.id},
    "review_screenshot": lambda scene: {"screenshotId": scene.failed.id, "state": "approved"},
    "approve_story_screenshots": lambda scene: {"buildId": scene.on.build.id, "storyId": "same"},
}
WITHOUT_CONFLICT = {
    *("list_repos", "list_builds", "get_build", "rotate_repo_token", "remove_repo"),
    *("set_repo_capture", "set_org_capture", "set_dynamic_regions"),
    *("enable_recordings", "disable_recordings"),
    *("list_recordings", "get_recording", "delete_recording"),
}


def test_every_published_action_is_compared() -> None:
    assert CONFLICTS.keys() | WITHOUT_CONFLICT == set(NAMES)
    assert not CONFLICTS.keys() & WITHOUT_CONFLICT


def both(endpoint: Endpoint, key: str, name: str, payload: Payload) -> Seen:
    """The call through REST, after it was seen to be the same through MCP in both eras."""
    by_rest = seen(lambda: rest(key, name, payload))
    assert by_rest.marks <= {"rest", "api_key"}, payload
    for era in ERAS:
        by_mcp = seen(lambda era=era: mcp(endpoint, key, name, payload, era))  # type: ignore[misc]
        assert by_mcp.answer == by_rest.answer, (era, payload)
        assert by_mcp.rows == by_rest.rows, (era, payload)
        assert by_mcp.changed == by_rest.changed
        assert by_mcp.verbs == by_rest.verbs
        assert by_mcp.marks <= {"mcp"} | CLIENTS, payload
        assert ("mcp" in by_mcp.marks) == ("rest" in by_rest.marks)
    return by_rest


def refused(endpoint: Endpoint, key: str, name: str, payload: Payload, status: str) -> Answer:
    found = both(endpoint, key, name, payload)
    assert found.answer.result is None, payload
    assert found.answer.words.startswith(f"{status}: "), found.answer
    assert not found.changed
    return found.answer


@pytest.mark.parametrize("name", NAMES)
def test_an_allowed_call_does_and_answers_the_same(
    endpoint: Endpoint, personas: Personas, scene: Scene, name: str
) -> None:
    key = user_key(personas.alice)
    found = [both(endpoint, key, name, payload) for payload in allowed(scene, name)]
    assert all(each.answer.result is not None for each in found)
    # Otherwise two doors that do nothing would pass.
    assert any(each.changed for each in found) != published_action(name).read_only
    # Whatever changes is in the audit log, under a verb of the action's own.
    for each in found:
        assert each.verbs <= set(published_action(name).verbs)
        assert bool(each.verbs) == each.changed


@pytest.mark.parametrize("name", NAMES)
def test_a_refusal_is_worded_the_same_and_does_nothing(
    endpoint: Endpoint, personas: Personas, scene: Scene, name: str
) -> None:
    need = published_action(name).permission
    lacking = organization_key(personas.alice, tuple(PUBLISHED - {need}))
    payload = allowed(scene, name)[0]

    forbidden = refused(endpoint, lacking, name, payload, "Forbidden")
    assert need in forbidden.words
    # Before the input, so that its faults are not told either.
    assert refused(endpoint, lacking, name, {"unknown": 1}, "Forbidden") == forbidden

    key = user_key(personas.alice)
    for unknown in with_unknown_ids(name, payload):
        refused(endpoint, key, name, unknown, "Not Found")
    if name in CONFLICTS:
        refused(endpoint, key, name, CONFLICTS[name](scene), "Conflict")


def with_unknown_ids(name: str, payload: Payload) -> Iterator[Payload]:
    for place in payload.keys() & set(IDS):
        # Regions may be set for a story that no build holds yet.
        if (name, place) != ("set_dynamic_regions", "storyId"):
            for missing in (f"{payload[place][:-4]}0000", "", "nonsense"):
                yield {**payload, place: missing}


def variations(name: str, payload: Payload) -> Iterator[Payload]:
    """The arguments with one thing odd about them."""
    yield {**payload, "unknown": 1}
    fields = published_action(name).input.model_fields
    for place in (field.alias or inner for inner, field in fields.items()):
        if place in payload:
            yield {key: value for key, value in payload.items() if key != place}
        yield from ({**payload, place: value} for value in ODD)


@pytest.mark.parametrize("name", NAMES)
def test_odd_arguments_are_refused_in_the_same_words(
    endpoint: Endpoint, personas: Personas, scene: Scene, name: str
) -> None:
    key = user_key(personas.alice)
    payload = allowed(scene, name)[0]
    faults = {f"{'x' * 20_000}{number}": number for number in range(40)}
    eras = cycle(ERAS)
    refusals = set()
    for odd in (*variations(name, payload), {**payload, **faults}):
        with undone():
            expected = rest(key, name, odd)
        with undone():
            found = mcp(endpoint, key, name, odd, next(eras))
        assert found.words == expected.words, odd
        assert (found.result is None) == (expected.result is None), odd
        # Many faults and long names make no long answer.
        assert len(found.words) < 10_000
        refusals.add(found.words.partition(":")[0])
    assert "Bad Request" in refusals
