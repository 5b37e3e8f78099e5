"""What a host tells by itself is followed, in whatever order and however often it comes."""

from typing import Any

from tests.journeys.hosts.told import BRANCH, Told


def deliver_backwards_and_twice(told: Told) -> None:
    """Send what the host has to tell of this repository, the newest first and each a second time."""
    ours = [
        delivery["id"]
        for delivery in told.host.deliveries()
        if delivery["body"]["repository"]["full_name"] == told.name
    ]
    assert len(ours) > 1
    for delivery_id in reversed(ours):
        for _ in range(2):
            assert 200 <= told.host.send(delivery_id) < 300


def target_of(told: Told, build: dict[str, Any]) -> str:
    full = told.job.server.act("get_build", buildId=build["id"])["build"]
    branch: str = full["baseline"]["branch"]
    return branch


def test_a_retargeted_pull_request_is_compared_with_its_newest_target(told: Told) -> None:
    told.publish("release", 250)
    told.job.approve_newest()
    told.open_pull_request()
    build = told.publish_pull_request()
    assert target_of(told, build) == "main"
    for target in ("release", "main", "release"):
        told.host.do("retarget", full_name=told.name, number=told.number, base_branch=target)
    deliver_backwards_and_twice(told)
    told.wait_for("it is compared again", lambda: target_of(told, build) == "release")
    told.wait_for("it is told once", lambda: told.is_right_and_single("pending"))
    assert target_of(told, build) == "release"


def test_what_was_approved_needs_no_review_after_the_merge(told: Told) -> None:
    told.open_pull_request()
    build = told.publish_pull_request()
    told.approve(build)
    merged = told.commit[::-1]
    told.host.do("merge_pull_request", full_name=told.name, number=told.number, merge_commit=merged)
    told.host.do("delete_branch", full_name=told.name, branch=BRANCH)
    deliver_backwards_and_twice(told)
    assert told.publish_again("main", "--commit", merged) == 0
    [newest, *_] = told.job.builds()
    assert (newest["branch"], newest["reviewState"]) == ("main", "approved")
    told.wait_for("the merge is told", lambda: set(told.statuses(merged).values()) == {"success"})
    told.wait_for("the pull request, too", lambda: told.is_right_and_single("success"))
