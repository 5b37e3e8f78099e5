"""What is known about a build apart from its screenshots, for its pages."""

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

from visual_review.builds.carried_approvals import approvals_of
from visual_review.builds.deciders import CarriedApproval
from visual_review.builds.models import Build
from visual_review.builds.notifying.messages import messages_of
from visual_review.builds.queries import pull_request_of
from visual_review.builds.reviewing.current_evidence import (
    API_SOURCES,
    count_unseen,
    evidence_of_build,
)
from visual_review.builds.states import CARRIED_OVER
from visual_review.web.deciders import origin_url
from visual_review.web.evidence import ShownEvidence
from visual_review.web.git_links import git_links_of

BASELINE_RULES: Final = {
    "target_branch": "the pull request's base branch",
    "own_branch": "the build's own branch",
    "default_branch": "the default branch, because no closer branch has a baseline",
    "none": "nothing, because no branch to compare with has a baseline yet",
}
# More would hide the facts below.
MAX_APPROVALS: Final = 5


class CarriedFact(NamedTuple):
    """A person's approvals that were carried over from one build, and the URL of one of them."""

    approval: CarriedApproval
    url: str


def describe_build(build: Build) -> dict[str, Any]:
    """Return the template context of the build, its pull request and its notifications."""
    return {
        "build": build,
        "repository": build.repository,
        "pull_request": pull_request_of(build),
        "rule": BASELINE_RULES[build.baseline_rule],
        "links": git_links_of(build),
        "notifications": messages_of(build),
        "evidence": _evidence_of(build),
        "unseen_count": count_unseen(build),
        **_describe_carried(approvals_of(build) if build.decision_source == CARRIED_OVER else ()),
    }


def _evidence_of(build: Build) -> ShownEvidence | None:
    if build.decision_source not in API_SOURCES:
        return None
    return ShownEvidence.of("", evidence_of_build(build))


def _describe_carried(approvals: Sequence[CarriedApproval]) -> dict[str, Any]:
    carried = [
        CarriedFact(approval, origin_url(approval.origin) if approval.origin else "")
        for approval in approvals[:MAX_APPROVALS]
    ]
    return {"carried": carried, "more_carried": len(approvals) - len(carried)}
