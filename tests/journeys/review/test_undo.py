"""What was decided is undone with one key, also for those who read the pull request."""

from tests.support.browser import OpenVisitor
from tests.support.hosted_world import COMMIT, NAME, HostedWorld
from tests.support.personas import Personas
from tests.support.published_changes import ReviewedBuild, publish_changes, publish_changes_to
from tests.support.review_page import ReviewPage


def test_decisions_are_undone_one_after_the_other(
    open_visitor: OpenVisitor, personas: Personas
) -> None:
    reviewed = publish_changes(personas.alice, 5)
    page = ReviewPage(open_visitor(personas.bob))
    page.open(reviewed.path)
    first = page.current
    page.press("a", "a")
    page.reject("Too dark")
    page.wait_until_saved()
    assert sorted(reviewed.decisions().values()) == ["approved", "approved", "rejected"]
    page.press("z", "z", "Control+z")
    page.wait_until_saved()
    assert reviewed.decisions() == {}
    assert page.current == first


def publish_pull_request(personas: Personas) -> tuple[HostedWorld, ReviewedBuild]:
    world = HostedWorld(personas.alice, NAME)
    world.open_pull_request()
    order = {"branch": "feature", "target": "main", "commit": COMMIT}
    return world, publish_changes_to(world, 3, **order)


def comments_about_rejections(world: HostedWorld) -> list[str]:
    return [body for body in world.comments() if "Too dark" in body]


def test_a_rejection_undone_at_once_never_appears_and_a_later_one_is_withdrawn(
    open_visitor: OpenVisitor, personas: Personas
) -> None:
    world, reviewed = publish_pull_request(personas)
    page = ReviewPage(open_visitor(personas.bob))
    page.open(reviewed.path)
    page.reject("Too dark")
    page.wait_until_saved()
    world.notify()
    assert comments_about_rejections(world) == []
    page.press("z")
    page.wait_until_saved()
    world.notify_later()
    assert comments_about_rejections(world) == []
    page.reject("Too dark")
    page.wait_until_saved()
    world.notify_later()
    (posted,) = comments_about_rejections(world)
    assert "withdrawn" not in posted.lower()
    page.press("z")
    page.wait_until_saved()
    world.notify_later()
    (posted,) = comments_about_rejections(world)
    assert "withdrawn" in posted.lower()
