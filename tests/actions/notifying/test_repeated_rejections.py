"""The same rejection, same screenshot and same words, is one comment however often repeated."""

import pytest

from tests.support.action_calls import act
from tests.support.deciding import decide, undo
from tests.support.hosted_world import HostedWorld, world_with_build
from tests.support.personas import Persona, Personas
from visual_review.builds.models import HostMessage

SHOTS = {"a": "red", "b": "red", "c": "blue"}
WORDS = "Too red"


@pytest.fixture
def world(personas: Personas) -> HostedWorld:
    return world_with_build(personas.alice, SHOTS, notified=True)


def reject(world: HostedWorld, comment: str | None = WORDS, story: str = "a") -> None:
    """Reject a screenshot like a REST caller, and deliver all due messages."""
    world.reject(world.build, story, comment)
    world.notify()


def approve(world: HostedWorld) -> None:
    shot = world.shot(world.build, "a")
    world.act("review_screenshot", screenshotId=shot.id, state="approved")
    world.notify()


def posted(world: HostedWorld) -> list[str]:
    """Return the posted comments about rejections, in the order of posting."""
    return [body for body in world.comments() if "visual-review:rejection:" in body]


def test_a_retry_by_anyone_posts_nothing(world: HostedWorld, personas: Personas) -> None:
    reject(world)
    calls = calls_of(world)
    for person in (personas.alice, personas.bob):
        reject_as(person, world)
        world.notify_later()
    assert len(posted(world)) == 1
    assert calls_of(world) == calls


def calls_of(world: HostedWorld) -> list[int]:
    return [len(world.host.calls(name)) for name in ("add_comment", "edit_comment")]


def reject_as(person: Persona, world: HostedWorld) -> None:
    shot = world.shot(world.build, "a")
    act(person, "review_screenshot", screenshotId=shot.id, state="rejected", comment=WORDS)


def test_a_retry_before_the_comment_is_due_posts_one(world: HostedWorld) -> None:
    for _ in range(3):
        reject_as(world.persona, world)
    world.notify_later()
    assert len(posted(world)) == 1
    assert HostMessage.objects.filter(kind="rejection").count() == 1


def test_a_lost_response_of_the_provider_and_a_retry_post_one(world: HostedWorld) -> None:
    world.host.add_fault("busy", "add_comment", times=1, response_lost=True)
    reject(world)
    reject(world)
    world.notify_later()
    assert len(posted(world)) == 1


def test_other_words_and_back_post_each_once(world: HostedWorld) -> None:
    for words in (WORDS, "Still too red", WORDS, "Still too red"):
        reject(world, words)
    (body,) = posted(world)
    assert [body.count(f"> {each}") for each in (WORDS, "Still too red")] == [1, 1]


def test_a_second_rejection_is_taken_out_of_the_comment_when_it_is_undone(
    world: HostedWorld, personas: Personas
) -> None:
    reject(world)
    second = decide(personas.bob, world.build, "rejected", shots=["a"], comment="Still too red")
    world.notify_later()
    (body,) = posted(world)
    assert "Rejected again by `Bob`" in body
    undo(personas.bob, world.build, second.decision_id)
    world.notify_later()
    (body,) = posted(world)
    assert (f"> {WORDS}" in body, "Still too red" in body) == (True, False)
    reject(world, "Much too red")
    clear(personas.bob, world)
    (body,) = posted(world)
    assert "withdrawn" in body


def clear(person: Persona, world: HostedWorld) -> None:
    decide(person, world.build, "cleared", shots=["a"])
    world.notify_later()


def test_an_approval_in_between_posts_nothing_again(world: HostedWorld) -> None:
    reject(world)
    approve(world)
    reject(world)
    assert len(posted(world)) == 1
    assert "was rejected**" in posted(world)[0]


def test_a_withdrawn_rejection_that_is_made_again_is_the_same_comment(world: HostedWorld) -> None:
    reject(world)
    decide(world.persona, world.build, "cleared", shots=["a"])
    world.notify()
    assert "withdrawn" in posted(world)[0]
    reject(world)
    (comment,) = posted(world)
    assert "was rejected**" in comment


def test_the_comment_is_withdrawn_with_the_rejection_that_repeated_it(world: HostedWorld) -> None:
    reject(world)
    approve(world)
    persona = world.persona
    again = decide(persona, world.build, "rejected", shots=["a"], comment=WORDS)
    world.notify_later()
    assert len(posted(world)) == 1
    undo(persona, world.build, again.decision_id)
    world.notify()
    # The first one is approved again, as before, and was never withdrawn.
    assert "was rejected**" in posted(world)[0]
    reject(world)
    decide(persona, world.build, "cleared", shots=["a"])
    world.notify()
    assert "withdrawn" in posted(world)[0]


def test_one_of_a_request_for_several_is_said_already(world: HostedWorld) -> None:
    persona, build = world.persona, world.build
    decide(persona, build, "rejected", shots=["a", "b"], comment=WORDS)
    world.notify_later()
    for story in ("a", "b"):
        reject(world, story=story)
    assert len(posted(world)) == 1
    # About one more screenshot than any before.
    decide(persona, build, "cleared", shots=["a", "b"])
    decide(persona, build, "rejected", shots=["a", "b", "c"], comment=WORDS)
    world.notify_later()
    assert [f"{number} screenshots were" in posted(world)[-1] for number in (2, 3)] == [
        False,
        True,
    ]


def test_another_screenshot_and_another_build_have_their_own(world: HostedWorld) -> None:
    reject(world)
    reject(world, story="b")
    assert len(posted(world)) == 2
    world.build = world.publish_change(SHOTS)
    reject(world)
    assert len(posted(world)) == 3


def test_a_comment_that_could_not_be_posted_is_posted_by_the_retry(world: HostedWorld) -> None:
    world.repository.posts_comments = False
    world.repository.save()
    reject(world)
    assert posted(world) == []
    world.repository.posts_comments = True
    world.repository.save()
    reject(world)
    assert len(posted(world)) == 1
    reject(world)
    assert len(posted(world)) == 1
