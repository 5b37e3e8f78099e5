"""The text of list_builds: one line a build, newest first."""

from typing import Final

from django.conf import settings

from visual_review.accounts.callers import Caller
from visual_review.actions.build_results import BuildResult
from visual_review.actions.published.list_builds import Result
from visual_review.api.mcp.quoting import named
from visual_review.api.mcp.rendering.deciders import decided_by
from visual_review.api.mcp.rendering.token_budget import filled
from visual_review.builds.states import COMPLETED

ROOM: Final = 3200
SHOWN_COMMIT: Final = 8
EMPTY: Final = (
    "There are no published builds. CI publishes them with 'visual-review publish' and the "
    "repository's project token."
)


def text_of_builds(result: Result, _caller: Caller) -> str:
    builds = result.builds
    if not builds:
        return EMPTY
    waiting = sum(_waits(build) for build in builds)
    lines = [
        f"Builds, newest first: {len(builds):,}, of which {waiting:,} can be decided now.",
        *filled(builds, _line, ROOM, "older builds"),
        "get_build shows a build's screenshots.",
        f"Page of a build: {settings.PUBLIC_URL}/builds/{{id}}",
    ]
    return "\n".join(lines)


def _waits(build: BuildResult) -> bool:
    return build.status == COMPLETED and build.review_state == "unreviewed"


def _line(build: BuildResult) -> str:
    facts = [_origin(build)]
    if build.product_key != "default":
        facts.append(f"product {named(build.product_key)}")
    if build.status != COMPLETED:
        facts.append(build.status)
    else:
        facts.append(f"{build.diff_count:,} differences" if build.diff_count else "no differences")
        facts.append(decided_by(build.review_state.replace("_", " "), build.decided))
    if build.superseded_by is not None:
        facts.append("superseded")
    return f"- #{build.number} {build.id}: {', '.join(facts)}"


def _origin(build: BuildResult) -> str:
    fork = f" of {named(build.head_repository)}" if build.head_repository else ""
    pull = f" (pull request {build.pull_request})" if build.pull_request else ""
    return f"{named(build.branch)}{fork}{pull} at {named(build.commit[:SHOWN_COMMIT])}"
