"""The text of list_builds and find_builds: builds, newest first."""

from collections.abc import Iterator
from typing import Final

from django.conf import settings

from visual_review.accounts.callers import Caller
from visual_review.actions.build_results import BuildResult
from visual_review.actions.extended.find_builds import (
    FoundBuildResult,
    PullRequestResult,
)
from visual_review.actions.extended.find_builds import Result as FoundBuilds
from visual_review.actions.published.list_builds import Result
from visual_review.api.mcp.quoting import ORIGIN, quote_name, quote_text
from visual_review.api.mcp.rendering.review_progress import describe_decision
from visual_review.api.mcp.rendering.truncation import OLDER, count_tokens, limit_lines
from visual_review.builds.states import COMPLETED, UNREVIEWED

BUDGET: Final = 3200
SHOWN_COMMIT: Final = 8
EMPTY: Final = (
    "There are no published builds. CI publishes them with 'visual-review publish' and the "
    "repository's project token."
)
# In bytes as shown.
DESCRIPTION: Final = 2_000


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
    facts = [_origin(build), *_state(build)]
    if build.superseded_by is not None:
        facts.append("superseded")
    return f"- #{build.number} {build.id}: {', '.join(facts)}"


def _state(build: BuildResult | FoundBuildResult) -> Iterator[str]:
    if build.product_key != "default":
        yield f"product {quote_name(build.product_key)}"
    if build.status != COMPLETED:
        yield build.status
        return
    yield f"{build.diff_count:,} differences" if build.diff_count else "no differences"
    yield describe_decision(build.review_state.replace("_", " "), build.decided)


def _origin(build: BuildResult) -> str:
    fork = f" of {quote_name(build.head_repository)}" if build.head_repository else ""
    pull = f" (pull request {build.pull_request})" if build.pull_request else ""
    return f"{quote_name(build.branch)}{fork}{pull} at {quote_name(build.commit[:SHOWN_COMMIT])}"


# For the builds; the head and the cursor take less than the rest of 10,000.
FOUND_BUDGET: Final = 9_500
NO_MATCH: Final = (
    "No published build matches. Check pull request, branch and commit, or omit them for the "
    "newest builds; list_repos lists the repositories."
)


def render_found_builds(result: FoundBuilds, _caller: Caller) -> str:
    if not result.builds:
        return NO_MATCH
    return "\n".join(_list_found(result))


def _list_found(result: FoundBuilds) -> Iterator[str]:
    yield f"Builds, newest first. {ORIGIN}"
    pulls = {(pull.repo_id, pull.number): pull for pull in result.pull_requests}
    left, following = FOUND_BUDGET, result.next_cursor
    shown: FoundBuildResult | None = None
    for build in result.builds:
        pull = pulls.get((build.repo_id, build.pull_request or 0))
        lines = [_describe_found(build), *_pull_request(build, pull)]
        # The pull request's description is not repeated for its older builds.
        if pull is not None:
            del pulls[pull.repo_id, pull.number]
        left -= count_tokens("\n".join(lines))
        if left < 0 and shown is not None:
            following = shown.id
            break
        yield from lines
        shown = build
    if following is not None:
        yield f"There are older ones: make the same call with cursor {following}."


def _describe_found(build: FoundBuildResult) -> str:
    fork = f" of the fork {quote_name(build.head_repository)}" if build.head_repository else ""
    facts = [
        f"{quote_name(build.repository)} {build.repo_id}",
        f"branch {quote_name(build.branch)}{fork} at {quote_name(build.commit)}",
    ]
    facts += _state(build)
    if build.superseded_by is not None:
        facts.append(f"superseded by {build.superseded_by}")
    message = f"; commit message {quote_text(build.message)}" if build.message else ""
    return f"- #{build.number} {build.id}: {', '.join(facts)}{message}"


def _pull_request(build: FoundBuildResult, pull: PullRequestResult | None) -> Iterator[str]:
    if build.pull_request is None:
        return
    name = f"  Pull request {build.pull_request}"
    if pull is None:
        yield f"{name}."
    elif pull.title is None:
        yield f"{name}: title and description are not known; no Git provider reported them."
    else:
        text = quote_text(pull.description, DESCRIPTION) if pull.description else "none"
        yield f"{name} ({pull.state}): {quote_text(pull.title)}; description: {text}"
