"""A rejection's comment is posted where the author reads it, once."""

import pytest

from tests.support.hosts.connected_repository import (
    COMMIT,
    NAME,
    ConnectedRepository,
    repository_with_build,
)
from tests.support.personas import Personas
from visual_review.builds.models import Build, HostMessage

SHOTS = {"a": "red", "b": "red"}


@pytest.fixture
def repository(personas: Personas) -> ConnectedRepository:
    """The host knows nothing yet of the build in review."""
    return repository_with_build(personas.alice, SHOTS)


def rejections(repository: ConnectedRepository, number: int = 1) -> list[str]:
    return [body for body in repository.comments(number) if "visual-review:rejection:" in body]


def test_it_names_reviewer_story_and_variant_and_quotes_the_comment(
    repository: ConnectedRepository,
) -> None:
    repository.reject(repository.build, "a", "Too red.\n@all please /close #12")
    repository.run_jobs()
    (comment,) = rejections(repository)
    assert "rejected** by `Alice`" in comment
    assert "`a`, light, desktop" in comment
    assert (
        f"/builds/{repository.build.id}#{repository.world.shot(repository.build, 'a').id}"
        in comment
    )
    assert "> ```text\n> Too red.\n> @all please /close #12\n> ```" in comment
    assert repository.statuses()["visual-review"] == "pending"


def test_a_rejection_without_a_comment_posts_nothing(repository: ConnectedRepository) -> None:
    repository.reject(repository.build, "a", None)
    repository.reject(repository.world.fresh(Build.objects.get()), "b", "  \n")
    repository.run_jobs()
    assert rejections(repository) == []


def test_each_rejection_is_a_comment_and_none_is_posted_twice(
    repository: ConnectedRepository,
) -> None:
    repository.reject(repository.build, "a", "First")
    repository.run_jobs()
    repository.reject(repository.build, "a", "Second")
    repository.reject(repository.build, "b", "Third")
    repository.run_jobs()
    repository.approve(repository.build)
    repository.run_jobs()
    first, other = rejections(repository)
    assert [first.count(f"> {each}") for each in ("First", "Second", "Third")] == [1, 1, 0]
    assert other.count("> Third") == 1


def test_a_build_of_a_branch_finds_the_pull_request_of_its_commit(
    empty_repository: ConnectedRepository,
) -> None:
    empty_repository.host.open_pull_request(NAME, "other", "c" * 40)
    number = empty_repository.open_pull_request()
    empty_repository.reject(
        empty_repository.world.publish({"a": "red"}, "feature", commit=COMMIT), "a"
    )
    empty_repository.run_jobs()
    assert len(rejections(empty_repository, number)) == 1
    assert empty_repository.message(kind="rejection").pull_request == number


def test_without_a_pull_request_the_comment_is_not_posted(
    empty_repository: ConnectedRepository,
) -> None:
    empty_repository.reject(empty_repository.world.publish({"a": "red"}, commit=COMMIT), "a")
    empty_repository.run_jobs()
    message = empty_repository.message(kind="rejection")
    assert message.state == "dropped"
    assert "No open pull request" in message.failure


def test_a_pull_request_that_closed_between_two_tries_still_gets_it_once(
    empty_repository: ConnectedRepository,
) -> None:
    number = empty_repository.open_pull_request()
    empty_repository.reject(
        empty_repository.world.publish({"a": "red"}, "feature", commit=COMMIT), "a"
    )
    empty_repository.host.add_fault("busy", "add_comment", times=1, response_lost=True)
    empty_repository.run_jobs()
    empty_repository.host.close_pull_request(NAME, number)
    second = empty_repository.host.open_pull_request(NAME, "second", COMMIT).number
    empty_repository.pass_time()
    assert len(rejections(empty_repository, number)) == 1
    assert rejections(empty_repository, second) == []


def test_with_comments_off_no_rejection_is_posted(repository: ConnectedRepository) -> None:
    repository.row.posts_comments = False
    repository.row.save()
    repository.reject(repository.build, "a")
    repository.run_jobs()
    assert repository.comments() == []
    assert not HostMessage.objects.filter(kind="rejection").exists()
