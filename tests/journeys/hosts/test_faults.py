"""With any fault of the provider, statuses and comments are right in the end, and not doubled."""

from typing import Any

import pytest

from tests.support.hosts.pull_request import TOKEN, HostedPullRequest

REJECTION = "Too blue for @harbour"


def test_a_pull_request_is_notified_of_the_state_of_its_build(
    pull_request: HostedPullRequest,
) -> None:
    pull_request.open()
    build = pull_request.publish_change()
    pull_request.wait_for("a review is due", lambda: pull_request.is_notified_once("pending"))
    pull_request.reject(build, REJECTION)
    pull_request.wait_for(
        "the rejection arrives", lambda: pull_request.is_notified_once("pending", REJECTION)
    )
    pull_request.approve(build)
    pull_request.wait_for(
        "it is approved", lambda: pull_request.is_notified_once("success", REJECTION)
    )
    [comment] = pull_request.comments("visual-review:comment:")
    assert build["url"] in comment


@pytest.mark.parametrize(
    ("fault", "calls"),
    [
        ({"kind": "down"}, 3),
        ({"kind": "limited", "seconds": 2, "times": 2}, 2),
        ({"kind": "failing", "every": 3}, 2),
        ({"kind": "lost", "method": "POST", "every": 2, "times": 4}, 2),
        ({"kind": "html", "times": 2}, 2),
        ({"kind": "slow", "seconds": 1, "times": 5}, 2),
    ],
    ids=lambda value: value["kind"] if isinstance(value, dict) else "",
)
def test_a_faulty_provider_gets_every_notification_once_in_the_end(
    pull_request: HostedPullRequest, fault: dict[str, Any], calls: int
) -> None:
    pull_request.open()
    pull_request.host.set_faults(fault)
    build = pull_request.publish_change()
    pull_request.reject(build, REJECTION)
    pull_request.wait_for(
        "the fault occurs", lambda: pull_request.host.count_affected_calls() >= calls
    )
    pull_request.approve(build)
    met = pull_request.host.set_faults()
    assert met >= calls
    pull_request.wait_for(
        "all of it is delivered", lambda: pull_request.is_notified_once("success", REJECTION)
    )


@pytest.mark.deep
def test_a_worker_that_is_killed_after_it_posted_posts_nothing_twice(
    pull_request: HostedPullRequest,
) -> None:
    pull_request.open()
    # The comment is there, and the worker waits for a response that never comes.
    stuck = {"kind": "stuck", "method": "POST", "part": "/comments", "seconds": 3}
    pull_request.host.set_faults(stuck)
    build = pull_request.publish_change()
    pull_request.wait_for("the comment is there", pull_request.comments)
    pull_request.worker.kill()
    pull_request.host.set_faults()
    pull_request.worker.start()
    pull_request.wait_for(
        "the interrupted job ends", lambda: pull_request.is_notified_once("pending")
    )
    pull_request.approve(build)
    pull_request.wait_for("it is approved", lambda: pull_request.is_notified_once("success"))


def test_rejected_notifications_can_be_sent_again_by_a_person(
    pull_request: HostedPullRequest,
) -> None:
    pull_request.open()
    pull_request.host.do("revoke", token=TOKEN)
    pull_request.publish_change()
    pull_request.wait_for("all were rejected", lambda: len(pull_request.retry_forms()) == 3)
    assert pull_request.statuses() == {}
    pull_request.host.do("clear_faults")
    for form in pull_request.retry_forms():
        pull_request.pages.send(pull_request.outbox, form)
    pull_request.wait_for(
        "all of it is delivered", lambda: pull_request.is_notified_once("pending")
    )
    pull_request.wait_for("nothing has failed any more", lambda: not pull_request.retry_forms())
