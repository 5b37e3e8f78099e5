"""The text of find_builds: builds, newest first, each with its author's description."""

from collections.abc import Iterator
from typing import Final

from visual_review.accounts.callers import Caller
from visual_review.actions.extended.find_builds import FoundBuildResult, PullRequestResult, Result
from visual_review.api.mcp.quoting import ORIGIN, quote_name, quote_text
from visual_review.api.mcp.rendering.deciders import describe_decision
from visual_review.api.mcp.rendering.truncation import count_tokens
from visual_review.builds.states import COMPLETED

# For the builds; the head and the cursor take less than the rest of 10,000.
BUDGET: Final = 9_500
# In bytes as shown.
DESCRIPTION: Final = 2_000
EMPTY: Final = (
    "No published build matches. Check pull request, branch and commit, or omit them for the "
    "newest builds; list_repos lists the repositories."
)


def render_found_builds(result: Result, _caller: Caller) -> str:
    if not result.builds:
        return EMPTY
    return "\n".join(_lines(result))


def _lines(result: Result) -> Iterator[str]:
    yield f"Builds, newest first. {ORIGIN}"
    pulls = {(pull.repo_id, pull.number): pull for pull in result.pull_requests}
    left, following = BUDGET, result.next_cursor
    shown: FoundBuildResult | None = None
    for build in result.builds:
        pull = pulls.get((build.repo_id, build.pull_request or 0))
        lines = [_build(build), *_pull_request(build, pull)]
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


def _build(build: FoundBuildResult) -> str:
    fork = f" of the fork {quote_name(build.head_repository)}" if build.head_repository else ""
    facts = [
        f"{quote_name(build.repository)} {build.repo_id}",
        f"branch {quote_name(build.branch)}{fork} at {quote_name(build.commit)}",
    ]
    if build.product_key != "default":
        facts.append(f"product {quote_name(build.product_key)}")
    if build.status == COMPLETED:
        facts.append(f"{build.diff_count:,} differences" if build.diff_count else "no differences")
        facts.append(describe_decision(build.review_state.replace("_", " "), build.decided))
    else:
        facts.append(build.status)
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
