"""GitHub Actions, and other runners of its workflows (Gitea, Forgejo).

Variables: https://docs.github.com/actions/reference/workflows-and-actions/variables
"""

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from visual_review.client.ci.checkout import Checkout
from visual_review.client.ci.facts import CiFacts, Environment
from visual_review.client.ci.parsing import (
    detect_fork,
    first_line,
    make_nonce,
    parse_branch,
    parse_number,
)

PROVIDER = "github"
# refs/pull/12/merge
PULL_REQUEST_REF_PARTS = 4


def read(env: Environment, checkout: Checkout) -> CiFacts | None:
    if env.get("GITHUB_ACTIONS") != "true":
        return None
    run = env.get("GITHUB_RUN_ID", "")
    nonce = make_nonce(
        PROVIDER, run, env.get("GITHUB_RUN_ATTEMPT") or "1", env.get("GITHUB_JOB") or "job"
    )
    facts = CiFacts(PROVIDER, nonce=nonce, run_nonce=nonce)
    event = _event(env)
    if isinstance(event.get("pull_request"), Mapping):
        return _pull_request(facts, env, event)
    if isinstance(event.get("merge_group"), Mapping):
        return _merge_group(facts, env, event)
    if env.get("GITHUB_HEAD_REF"):
        return _pull_request_without_event(facts, env, checkout)
    return replace(
        facts,
        branch=parse_branch(env.get("GITHUB_REF", "")),
        commit=env.get("GITHUB_SHA", ""),
        message=first_line(string_at(event, "head_commit", "message")),
    )


def _pull_request(facts: CiFacts, env: Environment, event: Mapping[str, Any]) -> CiFacts:
    head = string_at(event, "pull_request", "head", "sha")
    built = env.get("GITHUB_SHA", "")
    # Only merge refs are merges; other events of a pull request run on the default branch.
    is_merge = env.get("GITHUB_REF", "").endswith("/merge") and built != head
    number = event["pull_request"].get("number")
    return replace(
        facts,
        branch=string_at(event, "pull_request", "head", "ref"),
        commit=head,
        base_commit=string_at(event, "pull_request", "base", "sha"),
        merge_commit=built if is_merge else "",
        head_repository=detect_fork(
            string_at(event, "pull_request", "head", "repo", "full_name"),
            string_at(event, "pull_request", "base", "repo", "full_name")
            or env.get("GITHUB_REPOSITORY", ""),
        ),
        pull_request=number if type(number) is int and number > 0 else None,
        base_branch=string_at(event, "pull_request", "base", "ref"),
        message=first_line(string_at(event, "pull_request", "title")),
        # The head's author is in no shallow checkout of the merge.
        author=first_line(string_at(event, "pull_request", "user", "login")),
    )


def _merge_group(facts: CiFacts, env: Environment, event: Mapping[str, Any]) -> CiFacts:
    """Read the facts of a merge queue's temporary branch with merged pull requests.

    https://docs.github.com/webhooks/webhook-events-and-payloads#merge_group
    """
    head = string_at(event, "merge_group", "head_ref") or env.get("GITHUB_REF", "")
    return replace(
        facts,
        branch=parse_branch(head),
        commit=string_at(event, "merge_group", "head_sha") or env.get("GITHUB_SHA", ""),
        base_commit=string_at(event, "merge_group", "base_sha"),
        base_branch=parse_branch(string_at(event, "merge_group", "base_ref")),
        message=first_line(string_at(event, "merge_group", "head_commit", "message")),
    )


def _pull_request_without_event(facts: CiFacts, env: Environment, checkout: Checkout) -> CiFacts:
    """Read the facts without the event's file, such as in a container."""
    parts = env.get("GITHUB_REF", "").split("/")
    return replace(
        facts,
        branch=env["GITHUB_HEAD_REF"],
        # The second parent of GitHub's merge is the pull request's head.
        commit=checkout.resolve("HEAD^2"),
        merge_commit=env.get("GITHUB_SHA", ""),
        pull_request=parse_number(parts[2]) if len(parts) == PULL_REQUEST_REF_PARTS else None,
        base_branch=env.get("GITHUB_BASE_REF", ""),
    )


def _event(env: Environment) -> Mapping[str, Any]:
    try:
        event = json.loads(Path(env.get("GITHUB_EVENT_PATH", "")).read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}
    return event if isinstance(event, Mapping) else {}


def string_at(value: Any, *path: str) -> str:  # noqa: ANN401 - Raw JSON of any shape.
    """Return the string at ``path``, empty if the event has anything else there."""
    for name in path:
        value = value.get(name) if isinstance(value, Mapping) else None
    return value if isinstance(value, str) else ""
