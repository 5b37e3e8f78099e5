"""The provider's webhooks are applied in any order and any number of times."""

from typing import Any

from tests.support.hosts.pull_request import BRANCH, HostedPullRequest


def deliver_backwards_and_twice(pull_request: HostedPullRequest) -> None:
    """Send the webhooks of the repository, the newest first and each a second time."""
    ours = [
        delivery["id"]
        for delivery in pull_request.host.deliveries()
        if delivery["body"]["repository"]["full_name"] == pull_request.name
    ]
    assert len(ours) > 1
    for delivery_id in reversed(ours):
        for _ in range(2):
            assert 200 <= pull_request.host.send(delivery_id) < 300


def base_branch_of(pull_request: HostedPullRequest, build: dict[str, Any]) -> str:
    full = pull_request.job.server.act("get_build", buildId=build["id"])["build"]
    branch: str = full["baseline"]["branch"]
    return branch


def test_a_build_is_compared_with_the_newest_base_branch_of_its_pull_request(
    pull_request: HostedPullRequest,
) -> None:
    pull_request.publish("release", 250)
    pull_request.job.approve_newest()
    pull_request.open()
    build = pull_request.publish_change()
    assert base_branch_of(pull_request, build) == "main"
    for branch in ("release", "main", "release"):
        changed = {"number": pull_request.number, "base_branch": branch}
        pull_request.host.do("change_base_branch", full_name=pull_request.name, **changed)
    deliver_backwards_and_twice(pull_request)
    pull_request.wait_for(
        "it is compared again", lambda: base_branch_of(pull_request, build) == "release"
    )
    pull_request.wait_for(
        "the host is notified once", lambda: pull_request.is_notified_once("pending")
    )
    assert base_branch_of(pull_request, build) == "release"


def test_what_was_approved_needs_no_review_after_the_merge(pull_request: HostedPullRequest) -> None:
    pull_request.open()
    build = pull_request.publish_change()
    pull_request.approve(build)
    merged = pull_request.commit[::-1]
    name, host = pull_request.name, pull_request.host
    merge = {"number": pull_request.number, "merge_commit": merged}
    host.do("merge_pull_request", full_name=name, **merge)
    host.do("delete_branch", full_name=name, branch=BRANCH)
    deliver_backwards_and_twice(pull_request)
    assert pull_request.publish_again("main", "--commit", merged) == 0
    [newest, *_] = pull_request.job.builds()
    assert (newest["branch"], newest["reviewState"]) == ("main", "approved")
    pull_request.wait_for(
        "the merge has its status",
        lambda: set(pull_request.statuses(merged).values()) == {"success"},
    )
    pull_request.wait_for("the pull request, too", lambda: pull_request.is_notified_once("success"))
