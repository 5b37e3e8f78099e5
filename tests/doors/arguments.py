"""A valid call of every published action, on a repository that holds something of each kind."""

from dataclasses import dataclass
from typing import Any

from tests.worlds import World
from visual_review.builds.models import Build, Screenshot

Payload = dict[str, Any]
VARIANT = {"storyId": "a", "theme": "light", "device": "desktop"}


@dataclass(frozen=True)
class Target:
    """What the calls speak of: a repository, an undecided build and a screenshot of it."""

    world: World
    build: Build
    screenshot: Screenshot


def target(world: World) -> Target:
    build = world.publish({"a": "red", "b": "blue"})
    return Target(world, build, world.shot(build, "a"))


def calls(on: Target) -> dict[str, Payload]:
    """Action -> arguments; a test fails when an action of the registry is missing here."""
    repo = {"repoId": on.world.repository.id}
    build = {"buildId": on.build.id}
    return {
        "list_repos": {},
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
        "set_dynamic_regions": {**repo, **VARIANT, "regions": []},
    }
