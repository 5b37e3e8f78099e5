"""What was decided is undone with one key, also for those who read the pull request."""

from tests.support.browser import OpenVisitor
from tests.support.hosts.connected_repository import COMMIT, NAME, ConnectedRepository
from tests.support.personas import Personas
from tests.support.published_changes import ReviewedBuild, publish_changes, publish_changes_to
from tests.support.review_page import ReviewPage
from tests.support.worlds import World


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


def publish_pull_request(personas: Personas) -> tuple[ConnectedRepository, ReviewedBuild]:
    world = World(personas.alice, NAME)
    repository = ConnectedRepository(world, world.connect_host())
    repository.open_pull_request()
    order = {"branch": "feature", "target": "main", "commit": COMMIT}
    return repository, publish_changes_to(world, 3, **order)


def comments_about_rejections(repository: ConnectedRepository) -> list[str]:
    return [body for body in repository.comments() if "Too dark" in body]


def test_a_rejection_undone_at_once_never_appears_and_a_later_one_is_withdrawn(
    open_visitor: OpenVisitor, personas: Personas
) -> None:
    repository, reviewed = publish_pull_request(personas)
    page = ReviewPage(open_visitor(personas.bob))
    page.open(reviewed.path)
    page.reject("Too dark")
    page.wait_until_saved()
    repository.run_jobs()
    assert comments_about_rejections(repository) == []
    page.press("z")
    page.wait_until_saved()
    repository.pass_time()
    assert comments_about_rejections(repository) == []
    page.reject("Too dark")
    page.wait_until_saved()
    repository.pass_time()
    (posted,) = comments_about_rejections(repository)
    assert "withdrawn" not in posted.lower()
    page.press("z")
    page.wait_until_saved()
    repository.pass_time()
    (posted,) = comments_about_rejections(repository)
    assert "withdrawn" in posted.lower()
