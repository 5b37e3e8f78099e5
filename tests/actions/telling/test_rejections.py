"""A rejection's words stand where the author reads them, once."""

from tests.actions.telling.hosted import COMMIT, NAME, Hosted
from visual_review.builds.host_models import HostMessage
from visual_review.builds.models import Build


def published(here: Hosted) -> Build:
    here.pull_request()
    return here.world.publish({"a": "red", "b": "red"}, "feature", target="main", commit=COMMIT)


def rejections(here: Hosted, number: int = 1) -> list[str]:
    return [body for body in here.comments(number) if "visual-review:rejection:" in body]


def test_it_names_reviewer_story_variant_and_quotes_the_words(here: Hosted) -> None:
    build = published(here)
    here.reject(build, "a", "Too red.\n@all please /close #12")
    here.run()
    (comment,) = rejections(here)
    assert "rejected** by `Alice`" in comment
    assert "`a`, light, desktop" in comment
    assert f"/builds/{build.id}#{here.world.shot(build, 'a').id}" in comment
    assert "> ```text\n> Too red.\n> @all please /close #12\n> ```" in comment
    assert here.statuses()["visual-review"] == "pending"


def test_a_rejection_without_words_posts_nothing(here: Hosted) -> None:
    here.reject(published(here), "a", None)
    here.reject(here.world.fresh(Build.objects.get()), "b", "  \n")
    here.run()
    assert rejections(here) == []


def test_each_rejection_is_a_comment_and_none_is_posted_twice(here: Hosted) -> None:
    build = published(here)
    here.reject(build, "a", "First")
    here.run()
    here.reject(build, "a", "Second")
    here.reject(build, "b", "Third")
    here.run()
    here.approve(build)
    here.run()
    assert [body.count("> First") for body in rejections(here)] == [1, 0, 0]
    assert len(rejections(here)) == 3


def test_a_build_of_a_branch_finds_the_pull_request_of_its_commit(here: Hosted) -> None:
    here.host.open_pull_request(NAME, "other", "c" * 40)
    number = here.pull_request()
    here.reject(here.world.publish({"a": "red"}, "feature", commit=COMMIT), "a")
    here.run()
    assert len(rejections(here, number)) == 1
    assert here.message(kind="rejection").pull_request == number


def test_a_commit_without_a_pull_request_lets_the_words_stay_here(here: Hosted) -> None:
    here.reject(here.world.publish({"a": "red"}, commit=COMMIT), "a")
    here.run()
    message = here.message(kind="rejection")
    assert message.state == "dropped"
    assert "No open pull request" in message.failure


def test_a_pull_request_that_closed_between_two_tries_still_gets_it_once(here: Hosted) -> None:
    number = here.pull_request()
    here.reject(here.world.publish({"a": "red"}, "feature", commit=COMMIT), "a")
    here.host.disturb("busy", "add_comment", times=1, answer_lost=True)
    here.run()
    here.host.close_pull_request(NAME, number)
    second = here.host.open_pull_request(NAME, "second", COMMIT).number
    here.pass_time()
    assert len(rejections(here, number)) == 1
    assert rejections(here, second) == []


def test_comments_off_posts_no_rejection(here: Hosted) -> None:
    build = published(here)
    here.world.repository.posts_comments = False
    here.world.repository.save()
    here.reject(build, "a")
    here.run()
    assert here.comments() == []
    assert not HostMessage.objects.filter(kind="rejection").exists()
