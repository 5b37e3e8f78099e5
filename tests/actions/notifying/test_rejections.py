"""A rejection's comment is posted in view of the author, once."""

import pytest

from tests.support.hosted_world import COMMIT, NAME, HostedWorld, world_with_build
from tests.support.personas import Personas
from visual_review.builds.models import Build, HostMessage

SHOTS = {"a": "red", "b": "red"}


@pytest.fixture
def world(personas: Personas) -> HostedWorld:
    """The host knows nothing yet of the build in review."""
    return world_with_build(personas.alice, SHOTS)


def rejections(world: HostedWorld, number: int = 1) -> list[str]:
    return [body for body in world.comments(number) if "visual-review:rejection:" in body]


def test_it_names_reviewer_story_and_variant_and_quotes_the_comment(world: HostedWorld) -> None:
    world.reject(world.build, "a", "Too red.\n@all please /close #12")
    world.notify()
    (comment,) = rejections(world)
    assert "rejected** by `Alice`" in comment
    assert "`a`, light, desktop" in comment
    assert f"/builds/{world.build.id}#{world.shot(world.build, 'a').id}" in comment
    assert "> ```text\n> Too red.\n> @all please /close #12\n> ```" in comment
    assert world.statuses()["visual-review"] == "pending"


def test_a_rejection_without_a_comment_posts_nothing(world: HostedWorld) -> None:
    world.reject(world.build, "a", None)
    world.reject(world.fresh(Build.objects.get()), "b", "  \n")
    world.notify()
    assert rejections(world) == []


def test_each_rejection_is_a_comment_and_none_is_posted_twice(world: HostedWorld) -> None:
    world.reject(world.build, "a", "First")
    world.notify()
    world.reject(world.build, "a", "Second")
    world.reject(world.build, "b", "Third")
    world.notify()
    world.approve(world.build)
    world.notify()
    first, other = rejections(world)
    assert [first.count(f"> {each}") for each in ("First", "Second", "Third")] == [1, 1, 0]
    assert other.count("> Third") == 1


def test_a_build_of_a_branch_finds_the_pull_request_of_its_commit(empty_world: HostedWorld) -> None:
    empty_world.host.open_pull_request(NAME, "other", "c" * 40)
    number = empty_world.open_pull_request()
    empty_world.reject(empty_world.publish({"a": "red"}, "feature", commit=COMMIT), "a")
    empty_world.notify()
    assert len(rejections(empty_world, number)) == 1
    assert empty_world.message(kind="rejection").pull_request == number


def test_without_a_pull_request_the_comment_is_not_posted(empty_world: HostedWorld) -> None:
    empty_world.reject(empty_world.publish({"a": "red"}, commit=COMMIT), "a")
    empty_world.notify()
    message = empty_world.message(kind="rejection")
    assert message.state == "dropped"
    assert "No open pull request" in message.failure


def test_a_pull_request_that_closed_between_two_tries_still_gets_it_once(
    empty_world: HostedWorld,
) -> None:
    number = empty_world.open_pull_request()
    empty_world.reject(empty_world.publish({"a": "red"}, "feature", commit=COMMIT), "a")
    empty_world.host.add_fault("busy", "add_comment", times=1, response_lost=True)
    empty_world.notify()
    empty_world.host.close_pull_request(NAME, number)
    second = empty_world.host.open_pull_request(NAME, "second", COMMIT).number
    empty_world.notify_later()
    assert len(rejections(empty_world, number)) == 1
    assert rejections(empty_world, second) == []


def test_with_comments_off_no_rejection_is_posted(world: HostedWorld) -> None:
    world.repository.posts_comments = False
    world.repository.save()
    world.reject(world.build, "a")
    world.notify()
    assert world.comments() == []
    assert not HostMessage.objects.filter(kind="rejection").exists()
