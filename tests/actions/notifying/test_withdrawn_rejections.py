"""A rejection undone or cleared: never posted within ten seconds, marked later."""

from datetime import timedelta

import pytest

from tests.support.deciding import decide, undo
from tests.support.hosted_world import HostedWorld, world_with_build
from tests.support.personas import Personas
from visual_review.builds.models import HostMessage
from visual_review.jobs.hosts.repair_outbox import LOST_AFTER, resume_waiting_streams
from visual_review.kernel.clock import now

SHOTS = {"a": "red", "b": "red", "c": "blue"}


@pytest.fixture
def world(personas: Personas) -> HostedWorld:
    return world_with_build(personas.alice, SHOTS, notified=True)


def reject(world: HostedWorld, *stories: str, comment: str = "Too red") -> str:
    """Reject screenshots; return the id of the decision."""
    persona, build = world.persona, world.build
    done = decide(persona, build, "rejected", shots=stories, comment=comment)
    return str(done.decision_id)


def take_back(world: HostedWorld, decision_id: str) -> None:
    undo(world.persona, world.build, decision_id)


def clear(world: HostedWorld, *stories: str) -> str:
    done = decide(world.persona, world.build, "cleared", shots=stories)
    return str(done.decision_id)


def rejections(world: HostedWorld) -> list[str]:
    return [body for body in world.comments() if "visual-review:rejection:" in body]


def test_a_comment_is_posted_after_ten_seconds(world: HostedWorld) -> None:
    reject(world, "a")
    world.notify()
    assert rejections(world) == []
    message = world.message(kind="rejection")
    assert message.next_try_at is not None
    assert timedelta(0) < message.next_try_at - message.changed_at <= timedelta(seconds=10)
    world.notify_later()
    assert len(rejections(world)) == 1


def test_rejections_by_every_channel_wait(world: HostedWorld) -> None:
    shot = world.shot(world.build, "a")
    world.act("review_screenshot", screenshotId=shot.id, state="rejected", comment="Too red")
    world.notify()
    assert rejections(world) == []
    world.notify_later()
    assert len(rejections(world)) == 1


def test_one_request_is_one_comment(world: HostedWorld) -> None:
    reject(world, "a", "b", "c")
    world.notify_later()
    (comment,) = rejections(world)
    assert "3 screenshots were rejected** by `Alice`" in comment
    assert "`a`, light, desktop and 2 more, in [build" in comment


def test_what_is_undone_at_once_is_never_posted(world: HostedWorld) -> None:
    take_back(world, reject(world, "a"))
    reject(world, "b", "c")
    clear(world, "b", "c")
    world.notify_later()
    assert rejections(world) == []
    # The one with the counts.
    assert len(world.host.calls("add_comment")) == 1
    states = HostMessage.objects.filter(kind="rejection").values_list("state", "failure")
    assert {state for state, _ in states} == {"dropped"}
    assert "withdrawn" in {failure for _, failure in states}.pop()


def test_what_is_undone_later_is_marked(world: HostedWorld) -> None:
    decision = reject(world, "a")
    world.notify_later()
    take_back(world, decision)
    world.notify()
    (comment,) = rejections(world)
    assert "a rejection was withdrawn** by `Alice`" in comment
    assert "> Too red" in comment
    assert world.message(kind="rejection").state == "sent"


def test_a_cleared_rejection_is_marked_and_stands_again_after_the_undo(world: HostedWorld) -> None:
    reject(world, "a", "b")
    world.notify_later()
    clear(world, "a")
    world.notify()
    assert "2 screenshots were rejected" in rejections(world)[0]
    cleared = clear(world, "b")
    world.notify()
    assert "withdrawn" in rejections(world)[0]
    take_back(world, cleared)
    world.notify()
    assert "2 screenshots were rejected" in rejections(world)[0]
    assert len(rejections(world)) == 1


def test_a_rejection_that_stands_again_before_it_was_posted_is_posted(world: HostedWorld) -> None:
    reject(world, "a")
    cleared = clear(world, "a")
    world.notify_later()
    assert rejections(world) == []
    take_back(world, cleared)
    world.notify()
    assert rejections(world) == []
    world.notify_later()
    assert "a screenshot was rejected" in rejections(world)[0]


def test_an_approval_leaves_the_comment(world: HostedWorld) -> None:
    reject(world, "a")
    world.notify_later()
    world.approve(world.build)
    world.notify()
    assert "a screenshot was rejected" in rejections(world)[0]


def test_it_is_marked_although_the_response_to_posting_was_lost(world: HostedWorld) -> None:
    world.host.add_fault("busy", "add_comment", times=1, response_lost=True)
    decision = reject(world, "a")
    world.notify_later()
    take_back(world, decision)
    world.notify_later()
    assert "withdrawn" in rejections(world)[0]


def test_an_undo_during_the_posting_is_not_lost(world: HostedWorld) -> None:
    """The worker has read the message, and the undo commits before the comment is recorded."""
    decision = reject(world, "a")
    before = world.message(kind="rejection")
    take_back(world, decision)
    after = world.message(kind="rejection")
    assert after.revision > before.revision
    assert after.next_try_at == before.next_try_at


def test_a_comment_that_was_deleted_is_not_posted_again(world: HostedWorld) -> None:
    decision = reject(world, "a")
    world.notify_later()
    for comment in world.host.comments_of(world.repository.full_name, 1):
        world.host.delete_comment(world.repository.full_name, 1, comment.id)
    take_back(world, decision)
    world.notify()
    assert rejections(world) == []


def test_a_lost_job_is_found_again(world: HostedWorld) -> None:
    reject(world, "a")
    world.lose_notifications()
    long_ago = now() - LOST_AFTER * 2
    HostMessage.objects.filter(state="waiting").update(changed_at=long_ago, next_try_at=long_ago)
    assert resume_waiting_streams() == 1
    world.notify()
    assert len(rejections(world)) == 1
