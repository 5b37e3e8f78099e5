"""REST and MCP are one interface: the same effect, result, message and audit entry of each call."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import cycle
from typing import Any

import pytest

from tests.support.action_arguments import VARIANT, Target
from tests.support.api_keys import organization_key
from tests.support.case import Case
from tests.support.database import rolled_back
from tests.support.host_accounts import connect_account
from tests.support.mcp.endpoint import PROTOCOL_VERSIONS, Endpoint
from tests.support.mcp.parity import CallResult, Effect, State, call_mcp, call_rest, effect_of
from tests.support.personas import Persona, Personas
from tests.support.scenes import scene
from tests.support.worlds import World
from visual_review.accounts.permissions import PUBLISHED
from visual_review.actions.registry import callable_action, published_actions
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
class Review:
    """A changed build to decide on, one still uploading, and a failed screenshot."""

    target: Target
    uploading: Build
    failed: Screenshot


@scene
def repository_in_review(persona: Persona) -> Review:
    world = World(persona)
    first = world.publish({"a": "red", "gone": "blue", "same": "white"})
    world.approve(first)
    build = world.publish({"a": "green", "same": "white", "more": "blue", "broken": "error"})
    uploading = world.upload({"a": "yellow"}, branch="other")
    connect_account(persona, world.repository.full_name, "acme/another")
    target = Target(world, build, world.shot(build, "a"))
    return Review(target, uploading, world.shot(build, "broken"))


@pytest.fixture
def review(personas: Personas) -> Review:
    return repository_in_review(personas.alice)


def accepted_payloads(review: Review, name: str) -> list[Payload]:
    """Return successful arguments, some of them with a change where an action may have none."""
    repo = {"repoId": review.target.world.repository.id}
    shot = {"screenshotId": review.target.screenshot.id}
    region = {"x": 0, "y": 0.5, "width": 1, "height": 0.25}
    richer: dict[str, list[Payload]] = {
        "list_builds": [{**repo, "limit": 1.0, "productKey": "default"}],
        "review_screenshot": [{**shot, "state": "rejected", "comment": "Too <b>blue</b>\n\u202e"}],
        "set_dynamic_regions": [{**repo, **VARIANT, "regions": [region]}],
        "set_org_capture": [{"dismissDetectionNotice": True}],
        "set_repo_capture": [{**repo, "redetect": True}],
    }
    return [review.target.calls[name], *richer.get(name, [])]


def _without_account(review: Review) -> Payload:
    HostAccount.objects.filter(organization=review.target.world.persona.organization).delete()
    return {}


# A new action goes into one of the two tables below, or the first test fails.
CONFLICTS: dict[str, Callable[[Review], Payload]] = {
    "list_host_repos": _without_account,
    "connect_repo": lambda review: {"fullName": review.target.world.repository.full_name},
    "approve_build": lambda review: {"buildId": review.uploading.id},
    "reject_build": lambda review: {"buildId": review.uploading.id},
    "approve_all_screenshots": lambda review: {"buildId": review.uploading.id},
    "review_screenshot": lambda review: {"screenshotId": review.failed.id, "state": "approved"},
    "approve_story_screenshots": lambda review: {
        "buildId": review.target.build.id,
        "storyId": "same",
    },
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


def effect_through_both(endpoint: Endpoint, key: str, name: str, payload: Payload) -> Effect:
    """Return the effect through REST, after the same through MCP in both protocol versions."""
    before = State.read()
    by_rest = effect_of(partial(call_rest, key, name, payload), before)
    assert by_rest.marks <= {"rest", "api_key"}, payload
    for version in PROTOCOL_VERSIONS:
        by_mcp = effect_of(partial(call_mcp, endpoint, key, name, payload, version), before)
        assert by_mcp.outcome == by_rest.outcome, (version, payload)
        assert by_mcp.added == by_rest.added, (version, payload)
        assert by_mcp.removed == by_rest.removed, (version, payload)
        assert by_mcp.changed == by_rest.changed
        assert by_mcp.verbs == by_rest.verbs
        assert by_mcp.marks <= {"mcp"} | CLIENTS, payload
        assert ("mcp" in by_mcp.marks) == ("rest" in by_rest.marks)
    return by_rest


def assert_rejected(
    endpoint: Endpoint, key: str, name: str, payload: Payload, status: str
) -> CallResult:
    found = effect_through_both(endpoint, key, name, payload)
    assert found.outcome.result is None, payload
    assert found.outcome.message.startswith(f"{status}: "), found.outcome
    assert not found.changed
    return found.outcome


def test_an_accepted_call_has_the_same_effect_and_result(
    case: Case, endpoint: Endpoint, key: str, review: Review
) -> None:
    for name in NAMES:
        with case(name):
            action = callable_action(name)
            effects = [
                effect_through_both(endpoint, key, name, payload)
                for payload in accepted_payloads(review, name)
            ]
            assert all(effect.outcome.result is not None for effect in effects)
            # Otherwise two interfaces without any effect would pass.
            assert any(effect.changed for effect in effects) != action.read_only
            # Whatever changes is in the audit log, under a verb of the action's own.
            for effect in effects:
                assert effect.verbs <= set(action.verbs)
                assert bool(effect.verbs) == effect.changed


def test_an_error_has_the_same_message_and_changes_nothing(
    case: Case, endpoint: Endpoint, personas: Personas, key: str, review: Review
) -> None:
    for name in NAMES:
        with case(name):
            need = callable_action(name).permission
            lacking = organization_key(personas.alice, tuple(PUBLISHED - {need}))
            payload = review.target.calls[name]

            forbidden = assert_rejected(endpoint, lacking, name, payload, "Forbidden")
            assert need in forbidden.message
            # Before the input, so that faults of the input are not named either.
            assert (
                assert_rejected(endpoint, lacking, name, {"unknown": 1}, "Forbidden") == forbidden
            )

            for unknown in with_unknown_ids(name, payload):
                assert_rejected(endpoint, key, name, unknown, "Not Found")
            if name in CONFLICTS:
                assert_rejected(endpoint, key, name, CONFLICTS[name](review), "Conflict")


def with_unknown_ids(name: str, payload: Payload) -> Iterator[Payload]:
    for field in payload.keys() & set(IDS):
        # Regions may be set for a story without any build.
        if (name, field) != ("set_dynamic_regions", "storyId"):
            for missing in (f"{payload[field][:-4]}0000", "", "nonsense"):
                yield {**payload, field: missing}


def variations(name: str, payload: Payload) -> Iterator[Payload]:
    """Yield the arguments with one odd thing at a time."""
    yield {**payload, "unknown": 1}
    fields = callable_action(name).input.model_fields
    for field in (info.alias or inner for inner, info in fields.items()):
        if field in payload:
            yield {key: value for key, value in payload.items() if key != field}
        yield from ({**payload, field: value} for value in ODD)


def test_odd_arguments_have_the_same_message(
    case: Case, endpoint: Endpoint, key: str, review: Review
) -> None:
    faults = {f"{'x' * 20_000}{number}": number for number in range(40)}
    for name in NAMES:
        with case(name):
            payload = review.target.calls[name]
            versions = cycle(PROTOCOL_VERSIONS)
            titles = set()
            for odd in (*variations(name, payload), {**payload, **faults}):
                with rolled_back():
                    expected = call_rest(key, name, odd)
                with rolled_back():
                    found = call_mcp(endpoint, key, name, odd, next(versions))
                assert found.message == expected.message, odd
                assert (found.result is None) == (expected.result is None), odd
                # Many errors and long names must not make a long result.
                assert len(found.message) < 10_000
                titles.add(found.message.partition(":")[0])
            assert "Bad Request" in titles
