"""Undone rejections: never posted if undone at once, marked at the provider if later."""

import pytest
from django.test.utils import override_settings

from tests.support.deciding import decide, undo
from tests.support.hosts.pull_request import HostedPullRequest
from visual_review.builds.models import Build

# Tests of the outbox without a worker are in tests/actions/notifying/test_withdrawn_rejections.py.
pytestmark = pytest.mark.deep


def rejections(pull_request: HostedPullRequest) -> list[str]:
    return pull_request.comments("visual-review:rejection:")


def test_an_undone_rejection_is_withdrawn_at_the_provider(pull_request: HostedPullRequest) -> None:
    pull_request.open()
    build = Build.objects.get(pk=pull_request.publish_change()["id"])
    reviewer = pull_request.job.server.personas.alice
    with override_settings(REJECTION_DELAY_SECONDS=1):
        posted = decide(reviewer, build, "rejected", build=True, comment="Too blue")
        pull_request.wait_for("it is posted", lambda: rejections(pull_request))
        undo(reviewer, build, posted.decision_id)
        mistaken = decide(reviewer, build, "rejected", build=True, comment="By mistake")
        undo(reviewer, build, mistaken.decision_id)
    pull_request.wait_for(
        "it is withdrawn", lambda: "rejection was withdrawn" in rejections(pull_request)[0]
    )
    pull_request.approve({"id": build.id})
    pull_request.wait_for(
        "it is approved", lambda: pull_request.is_notified_once("success", "Too blue")
    )
