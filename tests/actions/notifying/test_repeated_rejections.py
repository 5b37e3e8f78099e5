"""The same rejection, same screenshot and same words, is one comment however often it is sent."""

import pytest

from tests.support.action_calls import act
from tests.support.deciding import decide, undo
from tests.support.hosts.connected_repository import (
    COMMIT,
    ConnectedRepository,
    repository_with_build,
)
from tests.support.personas import Persona, Personas
from visual_review.builds.models import HostMessage

SHOTS = {"a": "red", "b": "red", "c": "blue"}
WORDS = "Too red"


@pytest.fixture
def repository(personas: Personas) -> ConnectedRepository:
    return repository_with_build(personas.alice, SHOTS, delivered=True)


def reject(repository: ConnectedRepository, comment: str | None = WORDS, story: str = "a") -> None:
    """Reject a screenshot as a REST caller does, and deliver what is due."""
    repository.reject(repository.build, story, comment)
    repository.run_jobs()


def approve(repository: ConnectedRepository) -> None:
    shot = repository.world.shot(repository.build, "a")
    repository.world.act("review_screenshot", screenshotId=shot.id, state="approved")
    repository.run_jobs()


def posted(repository: ConnectedRepository) -> list[str]:
    """Return the comments about rejections: those that were posted, in the order of posting."""
    return [body for body in repository.comments() if "visual-review:rejection:" in body]


def test_a_retry_by_anyone_posts_nothing(
    repository: ConnectedRepository, personas: Personas
) -> None:
    reject(repository)
    calls = calls_of(repository)
    for person in (personas.alice, personas.bob):
        reject_as(person, repository)
        repository.pass_time()
    assert len(posted(repository)) == 1
    assert calls_of(repository) == calls


def calls_of(repository: ConnectedRepository) -> list[int]:
    return [len(repository.host.calls(name)) for name in ("add_comment", "edit_comment")]


def reject_as(person: Persona, repository: ConnectedRepository) -> None:
    shot = repository.world.shot(repository.build, "a")
    act(person, "review_screenshot", screenshotId=shot.id, state="rejected", comment=WORDS)


def test_a_retry_before_the_comment_is_due_posts_one(repository: ConnectedRepository) -> None:
    for _ in range(3):
        reject_as(repository.world.persona, repository)
    repository.pass_time()
    assert len(posted(repository)) == 1
    assert HostMessage.objects.filter(kind="rejection").count() == 1


def test_a_lost_response_of_the_provider_and_a_retry_post_one(
    repository: ConnectedRepository,
) -> None:
    repository.host.add_fault("busy", "add_comment", times=1, response_lost=True)
    reject(repository)
    reject(repository)
    repository.pass_time()
    assert len(posted(repository)) == 1


def test_other_words_and_back_post_each_once(repository: ConnectedRepository) -> None:
    for words in (WORDS, "Still too red", WORDS, "Still too red"):
        reject(repository, words)
    (body,) = posted(repository)
    assert [body.count(f"> {each}") for each in (WORDS, "Still too red")] == [1, 1]


def test_a_second_rejection_is_taken_out_of_the_comment_when_it_is_undone(
    repository: ConnectedRepository, personas: Personas
) -> None:
    reject(repository)
    second = decide(
        personas.bob, repository.build, "rejected", shots=["a"], comment="Still too red"
    )
    repository.pass_time()
    (body,) = posted(repository)
    assert "Rejected again by `Bob`" in body
    undo(personas.bob, repository.build, second.decision_id)
    repository.pass_time()
    (body,) = posted(repository)
    assert (f"> {WORDS}" in body, "Still too red" in body) == (True, False)
    reject(repository, "Much too red")
    clear(personas.bob, repository)
    (body,) = posted(repository)
    assert "withdrawn" in body


def clear(person: Persona, repository: ConnectedRepository) -> None:
    decide(person, repository.build, "cleared", shots=["a"])
    repository.pass_time()


def test_an_approval_in_between_posts_nothing_again(repository: ConnectedRepository) -> None:
    reject(repository)
    approve(repository)
    reject(repository)
    assert len(posted(repository)) == 1
    assert "was rejected**" in posted(repository)[0]


def test_a_withdrawn_rejection_that_is_made_again_is_the_same_comment(
    repository: ConnectedRepository,
) -> None:
    reject(repository)
    decide(repository.world.persona, repository.build, "cleared", shots=["a"])
    repository.run_jobs()
    assert "withdrawn" in posted(repository)[0]
    reject(repository)
    (comment,) = posted(repository)
    assert "was rejected**" in comment


def test_the_comment_is_withdrawn_with_the_rejection_that_repeated_it(
    repository: ConnectedRepository,
) -> None:
    reject(repository)
    approve(repository)
    persona = repository.world.persona
    again = decide(persona, repository.build, "rejected", shots=["a"], comment=WORDS)
    repository.pass_time()
    assert len(posted(repository)) == 1
    undo(persona, repository.build, again.decision_id)
    repository.run_jobs()
    # The first one is approved again, as it was, and was never withdrawn.
    assert "was rejected**" in posted(repository)[0]
    reject(repository)
    decide(persona, repository.build, "cleared", shots=["a"])
    repository.run_jobs()
    assert "withdrawn" in posted(repository)[0]


def test_one_of_a_request_for_several_is_said_already(repository: ConnectedRepository) -> None:
    persona, build = repository.world.persona, repository.build
    decide(persona, build, "rejected", shots=["a", "b"], comment=WORDS)
    repository.pass_time()
    for story in ("a", "b"):
        reject(repository, story=story)
    assert len(posted(repository)) == 1
    # About one more screenshot than any before.
    decide(persona, build, "cleared", shots=["a", "b"])
    decide(persona, build, "rejected", shots=["a", "b", "c"], comment=WORDS)
    repository.pass_time()
    assert [f"{number} screenshots were" in posted(repository)[-1] for number in (2, 3)] == [
        False,
        True,
    ]


def test_another_screenshot_and_another_build_have_their_own(
    repository: ConnectedRepository,
) -> None:
    reject(repository)
    reject(repository, story="b")
    assert len(posted(repository)) == 2
    repository.build = repository.world.publish(SHOTS, "feature", target="main", commit=COMMIT)
    reject(repository)
    assert len(posted(repository)) == 3


def test_a_comment_that_could_not_be_posted_is_posted_by_the_retry(
    repository: ConnectedRepository,
) -> None:
    repository.row.posts_comments = False
    repository.row.save()
    reject(repository)
    assert posted(repository) == []
    repository.row.posts_comments = True
    repository.row.save()
    reject(repository)
    assert len(posted(repository)) == 1
    reject(repository)
    assert len(posted(repository)) == 1
