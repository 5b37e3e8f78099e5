"""Buildkite: https://buildkite.com/docs/pipelines/configure/environment-variables."""

from visual_review.client.ci.checkout import Checkout
from visual_review.client.ci.facts import CiFacts, Environment
from visual_review.client.ci.parsing import (
    detect_fork,
    first_line,
    make_nonce,
    parse_number,
    parse_repository,
    shard_from_variables,
)

PROVIDER = "buildkite"


def read(env: Environment, checkout: Checkout) -> CiFacts | None:
    if not env.get("BUILDKITE"):
        return None
    shard, shards = shard_from_variables(
        env.get("BUILDKITE_PARALLEL_JOB", ""), env.get("BUILDKITE_PARALLEL_JOB_COUNT", "")
    )
    number = parse_number(env.get("BUILDKITE_PULL_REQUEST", ""))
    fork = _fork(env) if number else ""
    branch = "" if env.get("BUILDKITE_TAG") else env.get("BUILDKITE_BRANCH", "")
    commit = env.get("BUILDKITE_COMMIT", "")
    return CiFacts(
        PROVIDER,
        # Branches of forks have the owner as a prefix.
        branch=branch.partition(":")[2] or branch if fork else branch,
        # A build started manually may only have HEAD.
        commit=checkout.resolve("HEAD") if commit == "HEAD" else commit,
        head_repository=fork,
        pull_request=number,
        base_branch=env.get("BUILDKITE_PULL_REQUEST_BASE_BRANCH", "") if number else "",
        message=first_line(env.get("BUILDKITE_MESSAGE", "")),
        nonce=make_nonce(PROVIDER, env.get("BUILDKITE_JOB_ID", "")),
        run_nonce=make_nonce(
            PROVIDER, env.get("BUILDKITE_BUILD_ID", ""), env.get("BUILDKITE_STEP_ID") or "step"
        ),
        shard=shard,
        shards=shards,
    )


def _fork(env: Environment) -> str:
    head = parse_repository(env.get("BUILDKITE_PULL_REQUEST_REPO", ""))
    return detect_fork(head, parse_repository(env.get("BUILDKITE_REPO", "")))
