"""What was decided is undone with one key, also for those who read the pull request."""

from tests.support.hosted_world import COMMIT, NAME, HostedWorld
from tests.support.rendered_world import RenderedWorld, publish_changes


def test_decisions_are_undone_one_after_the_other(world: RenderedWorld) -> None:
    build = publish_changes(world, 5)
    page = world.review(build)
    first = page.current
    page.press("a", "a")
    page.reject("Too dark")
    page.wait_until_saved()
    assert sorted(world.decisions(build).values()) == ["approved", "approved", "rejected"]
    page.press("z", "z", "Control+z")
    page.wait_until_saved()
    assert world.decisions(build) == {}
    assert page.current == first


def comments_about_rejections(world: HostedWorld) -> list[str]:
    return [body for body in world.comments() if "Too dark" in body]


def test_a_rejection_undone_at_once_never_appears_and_a_later_one_is_withdrawn(
    world: RenderedWorld,
) -> None:
    hosted = HostedWorld(world.persona, NAME)
    hosted.open_pull_request()
    build = publish_changes(hosted, 3, branch="feature", target="main", commit=COMMIT)
    page = world.review(build)
    page.reject("Too dark")
    page.wait_until_saved()
    hosted.notify()
    assert comments_about_rejections(hosted) == []
    page.press("z")
    page.wait_until_saved()
    hosted.notify_later()
    assert comments_about_rejections(hosted) == []
    page.reject("Too dark")
    page.wait_until_saved()
    hosted.notify_later()
    (posted,) = comments_about_rejections(hosted)
    assert "withdrawn" not in posted.lower()
    page.press("z")
    page.wait_until_saved()
    hosted.notify_later()
    (posted,) = comments_about_rejections(hosted)
    assert "withdrawn" in posted.lower()
