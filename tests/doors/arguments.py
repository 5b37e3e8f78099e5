"""A valid call of every published action, on a repository that holds something of each kind."""

from dataclasses import dataclass
from typing import Any

from tests.connected_host import connect_account
from tests.recording_rows import attach, record
from tests.worlds import World
from visual_review.billing.periods import Payer
from visual_review.builds.models import Build, Screenshot
from visual_review.recordings.enrollment import enable
from visual_review.recordings.models import Recording
from visual_review.repositories.models import Product, Repository

Payload = dict[str, Any]
VARIANT = {"storyId": "a", "theme": "light", "device": "desktop"}


@dataclass(frozen=True)
class Target:
    """What the calls speak of: a repository, an undecided build and a screenshot of it."""

    world: World
    build: Build
    screenshot: Screenshot


def target(world: World) -> Target:
    connect_account(world.persona, world.repository.full_name, "acme/another")
    build = world.publish({"a": "red", "b": "blue"})
    return Target(world, build, world.shot(build, "a"))


def recorded(world: World) -> str:
    """The id of a repository of the same organization for which recordings are enabled."""
    persona, name = world.persona, f"{world.name}-recorded"
    found = Repository.objects.filter(organization=persona.organization, full_name=name).first()
    if found is None:
        found = World(persona, name).repository
        enable(found, Payer(persona.organization.id, persona.user.id, "Setup"))
    return found.id


def recording(world: World) -> Recording:
    """A recording that can be watched, with an attachment."""
    repository = Repository.objects.get(pk=recorded(world))
    found = Recording.objects.filter(repository=repository).first()
    if found is None:
        product, _ = Product.objects.get_or_create(repository=repository)
        found = record(repository, product=product)
        attach(found)
    return found


def calls(on: Target) -> dict[str, Payload]:
    """Action -> arguments; a test fails when an action of the registry is missing here."""
    repo = {"repoId": on.world.repository.id}
    build = {"buildId": on.build.id}
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
        "review_screenshot": {"screenshotId": on.screenshot.id, "state": "approved"},
        "approve_all_screenshots": build,
        "approve_story_screenshots": {**build, "storyId": "a"},
        "enable_recordings": repo,
        "disable_recordings": {"repoId": recorded(on.world)},
        "list_recordings": {"repoId": recorded(on.world)},
        "get_recording": {"recordingId": recording(on.world).id},
        "delete_recording": {"recordingId": recording(on.world).id},
        "set_dynamic_regions": {**repo, **VARIANT, "regions": []},
    }
