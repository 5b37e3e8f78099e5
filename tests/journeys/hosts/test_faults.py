"""Whatever the host goes through: in the end statuses and comments are right and single."""

from typing import Any

import pytest

from tests.journeys.hosts.told import TOKEN, Told

WORDS = "Too blue for @harbour"


def test_a_pull_request_is_told_what_became_of_its_build(told: Told) -> None:
    told.open_pull_request()
    build = told.publish_pull_request()
    told.wait_for("a review is due", lambda: told.is_right_and_single("pending"))
    told.reject(build, WORDS)
    told.wait_for("the words arrive", lambda: told.is_right_and_single("pending", WORDS))
    told.approve(build)
    told.wait_for("it is approved", lambda: told.is_right_and_single("success", WORDS))
    [comment] = told.comments("visual-review:comment:")
    assert build["url"] in comment


@pytest.mark.parametrize(
    ("trouble", "calls"),
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
def test_a_host_in_trouble_is_told_all_once_in_the_end(
    told: Told, trouble: dict[str, Any], calls: int
) -> None:
    told.open_pull_request()
    told.host.have(trouble)
    build = told.publish_pull_request()
    told.reject(build, WORDS)
    told.wait_for("the trouble is met", lambda: told.host.met() >= calls)
    told.approve(build)
    met = told.host.have()
    assert met >= calls
    told.wait_for("all is told", lambda: told.is_right_and_single("success", WORDS))


def test_a_worker_that_is_killed_after_it_posted_posts_nothing_twice(told: Told) -> None:
    told.open_pull_request()
    # The comment stands, and the worker waits for an answer that never comes.
    told.host.have({"kind": "stuck", "method": "POST", "part": "/comments", "seconds": 3})
    build = told.publish_pull_request()
    told.wait_for("the comment stands", told.comments)
    [worker] = told.workers()
    worker.kill()
    told.host.have()
    told.wait_for("another worker lives", lambda: set(told.workers()) - {worker})
    told.wait_for("the cut job ends", lambda: told.is_right_and_single("pending"))
    told.approve(build)
    told.wait_for("it is approved", lambda: told.is_right_and_single("success"))


def test_what_the_host_refused_is_sent_again_by_a_person(told: Told) -> None:
    told.open_pull_request()
    told.host.do("revoke", token=TOKEN)
    told.publish_pull_request()
    told.wait_for("all was refused", lambda: len(told.failed()) == 3)
    assert told.statuses() == {}
    told.host.do("calm")
    for action in told.failed():
        told.pages.send(told.outbox, action)
    told.wait_for("all is told", lambda: told.is_right_and_single("pending"))
    told.wait_for("nothing failed any more", lambda: not told.failed())
