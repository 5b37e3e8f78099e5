"""Builds in which a number of stories changed, each in its own repository."""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import count

from tests.support.images import page
from tests.support.personas import Persona
from tests.support.worlds import World
from visual_review.builds.models import Build

_numbers = count(1)
COLORS = ("green", "navy", "purple", "orange", "black")


@dataclass(frozen=True)
class ReviewedBuild:
    """The stories are those that changed."""

    world: World
    build: Build
    stories: tuple[str, ...]

    @property
    def path(self) -> str:
        return f"/builds/{self.build.id}"

    def decisions(self) -> dict[str, str]:
        """Return the decision of each story that has one."""
        rows = self.build.screenshots.exclude(review_decision="")
        return dict(rows.values_list("story_id", "review_decision"))

    def review_state(self) -> str:
        return self.world.fresh(self.build).review_state


def publish_changes(persona: Persona, changes: int, **order: object) -> ReviewedBuild:
    """Publish a build in which ``changes`` stories changed, and one did not."""
    world = World(persona, f"acme/review-{next(_numbers)}")
    return publish_changes_to(world, changes, **order)


def publish_changes_to(world: World, changes: int, **order: object) -> ReviewedBuild:
    stories = tuple(f"card--number-{number:03}" for number in range(changes))
    before = dict.fromkeys(stories, page(320, 240, "red"))
    same = {"menu--same": page(320, 240)}
    world.approve(world.publish(before | same))
    build = world.publish(changed_pages(stories) | same, **order)  # type: ignore[arg-type]
    return ReviewedBuild(world, build, stories)


def changed_pages(stories: tuple[str, ...]) -> Mapping[str, bytes]:
    """Return pages whose button has another color and another place in each."""
    return {
        story: page(
            320,
            240,
            COLORS[number % len(COLORS)],
            at=(60 + number % 20 * 10, 40 + number // 20 * 8),
        )
        for number, story in enumerate(stories)
    }


def publish_carried_over(world: World) -> tuple[Build, Build]:
    """Publish a build of #1, which is approved, and one of #2 that shows the same."""
    before, after = page(600, 300), page(600, 300, "green", at=(400, 180))
    world.approve(world.publish({"card": before, "menu": before}))
    shown = {"card": after, "menu": after}
    first = world.publish(shown, "feature", target="main", number=1)
    world.approve(first)
    return first, world.publish(shown, "other", target="main", number=2)
