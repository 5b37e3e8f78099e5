"""What is known about a build apart from its screenshots, for its pages."""

from typing import Any, Final

from visual_review.builds.models import Build
from visual_review.builds.notifying.messages import messages_of
from visual_review.builds.queries import pull_request_of
from visual_review.web.git_links import git_links_of

BASELINE_RULES: Final = {
    "target_branch": "the pull request's base branch",
    "own_branch": "the build's own branch",
    "default_branch": "the default branch, because no closer branch has a baseline",
    "none": "nothing, because no branch to compare with has a baseline yet",
}


def describe_build(build: Build) -> dict[str, Any]:
    """Return the template context of the build, its pull request and its notifications."""
    return {
        "build": build,
        "repository": build.repository,
        "pull_request": pull_request_of(build),
        "rule": BASELINE_RULES[build.baseline_rule],
        "links": git_links_of(build),
        "notifications": messages_of(build),
    }
