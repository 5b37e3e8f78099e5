"""The text of list_builds: one line per build, newest first."""

from typing import Final

from django.conf import settings

from visual_review.accounts.callers import Caller
from visual_review.actions.build_results import BuildResult
from visual_review.actions.published.list_builds import Result
from visual_review.api.mcp.quoting import quote_name
from visual_review.api.mcp.rendering.deciders import describe_decision
from visual_review.api.mcp.rendering.truncation import OLDER, limit_lines
from visual_review.builds.states import COMPLETED, UNREVIEWED

BUDGET: Final = 3200
SHOWN_COMMIT: Final = 8
EMPTY: Final = (
    "There are no published builds. CI publishes them with 'visual-review publish' and the "
    "repository's project token."
)


def render_builds(result: Result, _caller: Caller) -> str:
    builds = result.builds
    if not builds:
        return EMPTY
    undecided = sum(_can_be_decided(build) for build in builds)
    lines = [
        f"Builds, newest first: {len(builds):,}, of which {undecided:,} can be decided now.",
        *limit_lines(builds, _line, BUDGET, "older builds"),
        *([OLDER.format("builds")] if result.more else []),
        "get_build shows a build's screenshots.",
        f"Page of a build: {settings.PUBLIC_URL}/builds/{{id}}",
    ]
    return "\n".join(lines)


def _can_be_decided(build: BuildResult) -> bool:
    return build.status == COMPLETED and build.review_state == UNREVIEWED


def _line(build: BuildResult) -> str:
    facts = [_origin(build)]
    if build.product_key != "default":
        facts.append(f"product {quote_name(build.product_key)}")
    if build.status != COMPLETED:
        facts.append(build.status)
    else:
        facts.append(f"{build.diff_count:,} differences" if build.diff_count else "no differences")
        facts.append(describe_decision(build.review_state.replace("_", " "), build.decided))
    if build.superseded_by is not None:
        facts.append("superseded")
    return f"- #{build.number} {build.id}: {', '.join(facts)}"


def _origin(build: BuildResult) -> str:
    fork = f" of {quote_name(build.head_repository)}" if build.head_repository else ""
    pull = f" (pull request {build.pull_request})" if build.pull_request else ""
    return f"{quote_name(build.branch)}{fork}{pull} at {quote_name(build.commit[:SHOWN_COMMIT])}"
