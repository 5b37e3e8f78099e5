"""Combines the facts of the provider, of git and of the command-line options."""

import secrets
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
)
from visual_review.client.ci.checkout import Checkout
from visual_review.client.ci.facts import CiError, CiFacts, Environment
from visual_review.client.ci.parsing import is_full_hash, make_nonce

PROVIDER = "git"
SHORT_HASH = 12
# Jenkins comes last, because Jenkins agents also run inside other CI systems.
PROVIDERS: Final[tuple[Callable[[Environment, Checkout], CiFacts | None], ...]] = (
    github.read,
    gitlab.read,
    circleci.read,
    buildkite.read,
    azure.read,
    bitbucket.read,
    jenkins.read,
)


def _read_git(env: Environment, checkout: Checkout) -> CiFacts:  # noqa: ARG001 - One signature.
    """Return the facts of git; a random nonce makes every run a new build."""
    commit = checkout.resolve("HEAD")
    return CiFacts(
        PROVIDER,
        branch=checkout.branch(),
        commit=commit,
        nonce=make_nonce(PROVIDER, commit[:SHORT_HASH] or "commit", secrets.token_hex(6)),
    )


@dataclass(frozen=True, slots=True)
class Overrides:
    """Options of the command line; None keeps the detected value.

    ``pull_request`` 0 means none, whatever the provider says.
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
    """Return the facts for publishing. Raises CiError if branch or commit is unknown."""
    if overrides.commit is not None:
        overrides = replace(overrides, commit=_full_hash(overrides.commit, checkout))
    facts = _override(_detect(env, checkout), overrides)
    _check_required(facts)
    merge_base = facts.merge_base_commit
    # git may know a merge base unknown to the provider, except in a shallow checkout.
    if not merge_base and (facts.base_branch or facts.base_commit):
        merge_base = checkout.merge_base(facts.commit, facts.base_branch, facts.base_commit)
    return replace(
        facts,
        nonce=_choose_nonce(facts, overrides),
        message=facts.message or checkout.message(facts.commit),
        author=facts.author or checkout.author(facts.commit),
        merge_base_commit=merge_base,
    )


def _full_hash(commit: str, checkout: Checkout) -> str:
    """Return the full hash: the Git provider finds no commit by a part of one."""
    commit = commit.strip()
    if is_full_hash(commit):
        return commit.lower()
    if found := checkout.resolve(commit) if commit else "":
        return found
    raise CiError(
        f"--commit {commit!r} is not the full hash of a commit (40 hexadecimal digits), and git "
        "finds no such commit here. `git rev-parse HEAD` prints the hash of the current one."
    )


def _detect(env: Environment, checkout: Checkout) -> CiFacts:
    for read in PROVIDERS:
        if facts := read(env, checkout):
            return facts
    return _read_git(env, checkout)


def _override(facts: CiFacts, overrides: Overrides) -> CiFacts:
    changes: dict[str, Any] = {
        name: value
        for name in ("branch", "commit", "base_branch", "head_repository", "message")
        if (value := getattr(overrides, name)) is not None
    }
    if changes.get("commit", facts.commit) != facts.commit:
        # The facts of the provider's commit may be wrong for another commit.
        changes |= {"merge_commit": "", "merge_base_commit": "", "author": ""}
    if overrides.pull_request == 0:
        changes |= {"pull_request": None, "base_branch": "", "base_commit": "", "merge_commit": ""}
    elif overrides.pull_request is not None:
        changes["pull_request"] = overrides.pull_request
    if overrides.shard is not None:
        changes["shard"], changes["shards"] = overrides.shard
    return replace(facts, **changes)


def _check_required(facts: CiFacts) -> None:
    if not facts.branch:
        raise CiError(
            "The branch is unknown: a tag or a detached HEAD is checked out, or this is not a git "
            "checkout. Set it with --branch."
        )
    if not facts.commit:
        raise CiError(
            "The commit is unknown: this is not a git checkout, or git failed. "
            "Set it with --commit."
        )


def _choose_nonce(facts: CiFacts, overrides: Overrides) -> str:
    if overrides.nonce:
        return overrides.nonce
    # A retried job creates a new build, but the shards of a run must share one.
    nonce = facts.run_nonce if facts.shards > 1 else facts.nonce
    if nonce:
        return nonce
    raise CiError(
        f"The CI provider gives the {facts.shards} shards no common name for this run. "
        "Pass the same --nonce to all of them, and a new one for every run."
        if facts.shards > 1
        else "The CI provider gives this run no unique name. Set one with --nonce."
    )
