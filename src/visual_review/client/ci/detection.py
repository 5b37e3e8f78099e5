"""Puts together what the provider, git and the caller's flags say."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Final

from visual_review.client.ci import (
    azure,
    bitbucket,
    buildkite,
    circleci,
    github,
    gitlab,
    jenkins,
    plain,
)
from visual_review.client.ci.checkout import Checkout
from visual_review.client.ci.facts import CiError, CiFacts, Environment

# Jenkins comes last: its agents also run inside other systems.
PROVIDERS: Final[tuple[Callable[[Environment, Checkout], CiFacts | None], ...]] = (
    github.read,
    gitlab.read,
    circleci.read,
    buildkite.read,
    azure.read,
    bitbucket.read,
    jenkins.read,
)


@dataclass(frozen=True, slots=True)
class Overrides:
    """Flags of the command line; None leaves what was detected.

    ``pull_request`` 0 says that this is none, whatever the provider tells.
    """

    branch: str | None = None
    commit: str | None = None
    pull_request: int | None = None
    base_branch: str | None = None
    head_repository: str | None = None
    message: str | None = None
    nonce: str | None = None
    shard: tuple[int, int] | None = None


def read_facts(env: Environment, checkout: Checkout, overrides: Overrides) -> CiFacts:
    """What is being published. Raises CiError when branch or commit stay unknown."""
    facts = _override(_detect(env, checkout), overrides)
    _require(facts)
    merge_base = facts.merge_base_commit
    # Only git knows it where the provider does not; an old or shallow checkout may not.
    if not merge_base and (facts.base_branch or facts.base_commit):
        merge_base = checkout.merge_base(facts.commit, facts.base_branch, facts.base_commit)
    return replace(
        facts,
        nonce=_nonce(facts, overrides),
        message=facts.message or checkout.message(facts.commit),
        merge_base_commit=merge_base,
    )


def _detect(env: Environment, checkout: Checkout) -> CiFacts:
    for read in PROVIDERS:
        if facts := read(env, checkout):
            return facts
    return plain.read(env, checkout)


def _override(facts: CiFacts, overrides: Overrides) -> CiFacts:
    changes: dict[str, Any] = {
        name: value
        for name in ("branch", "commit", "base_branch", "head_repository", "message")
        if (value := getattr(overrides, name)) is not None
    }
    if changes.get("commit", facts.commit) != facts.commit:
        # What the provider said of its commit need not hold for another one.
        changes |= {"merge_commit": "", "merge_base_commit": ""}
    if overrides.pull_request == 0:
        changes |= {"pull_request": None, "base_branch": "", "base_commit": "", "merge_commit": ""}
    elif overrides.pull_request is not None:
        changes["pull_request"] = overrides.pull_request
    if overrides.shard is not None:
        changes["shard"], changes["shards"] = overrides.shard
    return replace(facts, **changes)


def _require(facts: CiFacts) -> None:
    if not facts.branch:
        raise CiError(
            "The branch is unknown: a tag or a detached HEAD is checked out, or this is no git "
            "checkout. Name it with --branch."
        )
    if not facts.commit:
        raise CiError(
            "The commit is unknown: there is no git checkout here, or git refused it. "
            "Name it with --commit."
        )


def _nonce(facts: CiFacts, overrides: Overrides) -> str:
    if overrides.nonce:
        return overrides.nonce
    # A retried job alone makes a new build, while the shards of a run have to find each other.
    nonce = facts.run_nonce if facts.shards > 1 else facts.nonce
    if nonce:
        return nonce
    raise CiError(
        f"What the runs of all {facts.shards} shards have in common is unknown here. "
        "Give each of them the same --nonce, another one for every run."
        if facts.shards > 1
        else "This run has no name of its own here. Give it one with --nonce."
    )
