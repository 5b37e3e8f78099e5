"""The cursors of several builds, each with the newest entry of its own review log."""

from tests.support.personas import Personas
from tests.support.worlds import World
from visual_review.builds.cursors import read_cursors
from visual_review.builds.models import ReviewEntry


def test_each_build_has_the_newest_entry_of_its_own(personas: Personas) -> None:
    world = World(personas.alice)
    builds = [world.publish({"a": "red", "b": "red"}, branch=f"branch-{n}") for n in range(4)]
    # The last and the second have no entry, and others before them do.
    for build in (builds[2], builds[0], builds[2]):
        shot = world.shot(build, "a").id
        world.act("review_screenshot", screenshotId=shot, state="rejected")
        world.act("review_screenshot", screenshotId=shot, state="approved")
    found = read_cursors([build.id for build in builds] + ["build_unknown"])
    newest = {
        build.id: max(
            ReviewEntry.objects.filter(build=build).values_list("id", flat=True), default=0
        )
        for build in builds
    }
    assert {key: cursor.entry for key, cursor in found.items()} == newest
    assert [newest[build.id] > 0 for build in builds] == [True, False, True, False]
