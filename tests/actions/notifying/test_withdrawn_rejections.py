"""A rejection that was undone or cleared: never posted within ten seconds, marked later."""

from datetime import timedelta

import pytest

from tests.support.deciding import decide, undo
from tests.support.hosts.connected_repository import ConnectedRepository, repository_with_build
from tests.support.personas import Personas
from visual_review.builds.models import HostMessage
from visual_review.jobs.hosts.repair_outbox import LOST_AFTER, resume_waiting_streams
from visual_review.kernel.clock import now

SHOTS = {"a": "red", "b": "red", "c": "blue"}


@pytest.fixture
def repository(personas: Personas) -> ConnectedRepository:
    return repository_with_build(personas.alice, SHOTS, delivered=True)


def reject(repository: ConnectedRepository, *stories: str, comment: str = "Too red") -> str:
    """Reject screenshots; return the id of the decision."""
    persona, build = repository.world.persona, repository.build
    done = decide(persona, build, "rejected", shots=stories, comment=comment)
    return str(done.decision_id)


def take_back(repository: ConnectedRepository, decision_id: str) -> None:
    undo(repository.world.persona, repository.build, decision_id)


def clear(repository: ConnectedRepository, *stories: str) -> str:
    done = decide(repository.world.persona, repository.build, "cleared", shots=stories)
    return str(done.decision_id)


def rejections(repository: ConnectedRepository) -> list[str]:
    return [body for body in repository.comments() if "visual-review:rejection:" in body]


def test_a_comment_is_posted_after_ten_seconds(repository: ConnectedRepository) -> None:
    reject(repository, "a")
    repository.run_jobs()
    assert rejections(repository) == []
    message = repository.message(kind="rejection")
    assert message.next_try_at is not None
    assert timedelta(0) < message.next_try_at - message.changed_at <= timedelta(seconds=10)
    repository.pass_time()
    assert len(rejections(repository)) == 1


def test_rejections_by_every_channel_wait(repository: ConnectedRepository) -> None:
    shot = repository.world.shot(repository.build, "a")
    repository.world.act(
        "review_screenshot", screenshotId=shot.id, state="rejected", comment="Too red"
    )
    repository.run_jobs()
    assert rejections(repository) == []
    repository.pass_time()
    assert len(rejections(repository)) == 1


def test_one_request_is_one_comment(repository: ConnectedRepository) -> None:
    reject(repository, "a", "b", "c")
    repository.pass_time()
    (comment,) = rejections(repository)
    assert "3 screenshots were rejected** by `Alice`" in comment
    assert "`a`, light, desktop and 2 more, in [build" in comment


def test_what_is_undone_at_once_is_never_posted(repository: ConnectedRepository) -> None:
    take_back(repository, reject(repository, "a"))
    reject(repository, "b", "c")
    clear(repository, "b", "c")
    repository.pass_time()
    assert rejections(repository) == []
    # The one with the counts.
    assert len(repository.host.calls("add_comment")) == 1
    states = HostMessage.objects.filter(kind="rejection").values_list("state", "failure")
    assert {state for state, _ in states} == {"dropped"}
    assert "withdrawn" in {failure for _, failure in states}.pop()


def test_what_is_undone_later_is_marked(repository: ConnectedRepository) -> None:
    decision = reject(repository, "a")
    repository.pass_time()
    take_back(repository, decision)
    repository.run_jobs()
    (comment,) = rejections(repository)
    assert "a rejection was withdrawn** by `Alice`" in comment
    assert "> Too red" in comment
    assert repository.message(kind="rejection").state == "sent"


def test_a_cleared_rejection_is_marked_and_stands_again_after_the_undo(
    repository: ConnectedRepository,
) -> None:
    reject(repository, "a", "b")
    repository.pass_time()
    clear(repository, "a")
    repository.run_jobs()
    assert "2 screenshots were rejected" in rejections(repository)[0]
    cleared = clear(repository, "b")
    repository.run_jobs()
    assert "withdrawn" in rejections(repository)[0]
    take_back(repository, cleared)
    repository.run_jobs()
    assert "2 screenshots were rejected" in rejections(repository)[0]
    assert len(rejections(repository)) == 1


def test_a_rejection_that_stands_again_before_it_was_posted_is_posted(
    repository: ConnectedRepository,
) -> None:
    reject(repository, "a")
    cleared = clear(repository, "a")
    repository.pass_time()
    assert rejections(repository) == []
    take_back(repository, cleared)
    repository.run_jobs()
    assert rejections(repository) == []
    repository.pass_time()
    assert "a screenshot was rejected" in rejections(repository)[0]


def test_an_approval_leaves_the_comment(repository: ConnectedRepository) -> None:
    reject(repository, "a")
    repository.pass_time()
    repository.approve(repository.build)
    repository.run_jobs()
    assert "a screenshot was rejected" in rejections(repository)[0]


def test_it_is_marked_although_the_response_to_posting_was_lost(
    repository: ConnectedRepository,
) -> None:
    repository.host.add_fault("busy", "add_comment", times=1, response_lost=True)
    decision = reject(repository, "a")
    repository.pass_time()
    take_back(repository, decision)
    repository.pass_time()
    assert "withdrawn" in rejections(repository)[0]


def test_an_undo_during_the_posting_is_not_lost(repository: ConnectedRepository) -> None:
    """The worker has read the message, and the undo commits before the comment is recorded."""
    decision = reject(repository, "a")
    before = repository.message(kind="rejection")
    take_back(repository, decision)
    after = repository.message(kind="rejection")
    assert after.revision > before.revision
    assert after.next_try_at == before.next_try_at


def test_a_comment_that_was_deleted_is_not_posted_again(repository: ConnectedRepository) -> None:
    decision = reject(repository, "a")
    repository.pass_time()
    for comment in repository.host.comments_of(repository.row.full_name, 1):
        repository.host.delete_comment(repository.row.full_name, 1, comment.id)
    take_back(repository, decision)
    repository.run_jobs()
    assert rejections(repository) == []


def test_a_lost_job_is_found_again(repository: ConnectedRepository) -> None:
    reject(repository, "a")
    repository.lose_jobs()
    long_ago = now() - LOST_AFTER * 2
    HostMessage.objects.filter(state="waiting").update(changed_at=long_ago, next_try_at=long_ago)
    assert resume_waiting_streams() == 1
    repository.run_jobs()
    assert len(rejections(repository)) == 1
