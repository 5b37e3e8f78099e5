"""A valid call of every action for programs, on a repository with a row of every kind."""

from dataclasses import dataclass, field
from typing import Any

from tests.support.host_accounts import connect_account
from tests.support.personas import Persona
from tests.support.recording_rows import attach, record
from tests.support.scenes import scene
from tests.support.worlds import World
from visual_review.actions.extended.decision_input import format_seen
from visual_review.billing.periods import Payer
from visual_review.builds.models import Build, Screenshot
from visual_review.recordings.enrollment import enable
from visual_review.recordings.models import Recording
from visual_review.repositories.models import Product, Repository

Payload = dict[str, Any]
VARIANT = {"storyId": "a", "theme": "light", "device": "desktop"}


@dataclass
class Target:
    """A repository, an undecided build and a screenshot of it, with a valid call of each action."""

    world: World
    build: Build
    screenshot: Screenshot
    # Arguments by action.
    calls: dict[str, Payload] = field(init=False)

    def __post_init__(self) -> None:
        self.calls = _valid_calls(self)


def create_target(world: World) -> Target:
    connect_account(world.persona, world.repository.full_name, "acme/another")
    build = world.publish({"a": "red", "b": "blue"})
    return Target(world, build, world.shot(build, "a"))


@scene
def target_of(persona: Persona) -> Target:
    """Return a target in the persona's organization."""
    return create_target(World(persona))


def _recorded_repository_id(world: World) -> str:
    """Return the ID of a repository of the organization with recordings enabled."""
    persona, name = world.persona, f"{world.name}-recorded"
    found = Repository.objects.filter(organization=persona.organization, full_name=name).first()
    if found is None:
        found = World(persona, name).repository
        enable(found, Payer(persona.organization.id, persona.user.id, "Setup"))
    return found.id


def _create_recording(world: World) -> Recording:
    """Return a watchable recording with an attachment."""
    repository = Repository.objects.get(pk=_recorded_repository_id(world))
    found = Recording.objects.filter(repository=repository).first()
    if found is None:
        product, _ = Product.objects.get_or_create(repository=repository)
        found = record(repository, product=product)
        attach(found)
    return found


def _valid_calls(target: Target) -> dict[str, Payload]:
    """Return the arguments by action; a test fails if an action of the registry is missing."""
    repo = {"repoId": target.world.repository.id}
    build = {"buildId": target.build.id}
    return {
        "list_repos": {},
        "list_host_repos": {},
        "list_builds": repo,
        "get_build": build,
        "connect_repo": {"fullName": "acme/another"},
        "rotate_repo_token": repo,
        "remove_repo": repo,
        "set_repo_capture": {**repo, "themes": ["light"]},
        "set_org_capture": {"themes": ["light"]},
        "approve_build": build,
        "reject_build": build,
        "review_screenshot": {"screenshotId": target.screenshot.id, "state": "approved"},
        "approve_all_screenshots": build,
        "approve_story_screenshots": {**build, "storyId": "a"},
        "enable_recordings": repo,
        "disable_recordings": {"repoId": _recorded_repository_id(target.world)},
        "list_recordings": {"repoId": _recorded_repository_id(target.world)},
        "get_recording": {"recordingId": _create_recording(target.world).id},
        "delete_recording": {"recordingId": _create_recording(target.world).id},
        "set_dynamic_regions": {**repo, **VARIANT, "regions": []},
        **_extension_calls(repo, build, target.screenshot.id),
    }


def _extension_calls(repo: Payload, build: Payload, screenshot: str) -> dict[str, Payload]:
    seen = format_seen(str(build["buildId"]))
    decision = {"stories": ["a"], "state": "rejected", "comment": "The label is cropped."}
    return {
        "find_builds": repo,
        "list_changes": build,
        "get_images": build,
        "review_changes": {**build, "requestId": "request", "decisions": [decision], "seen": seen},
        "get_decisions": build,
        "get_history": {**repo, "storyId": "a"},
        "request_review": {**build, "reviewers": ["Bob"]},
        "comment": {"screenshotId": screenshot, "text": "Why green?"},
    }
