"""GitLab CI: https://docs.gitlab.com/ci/variables/predefined_variables/."""

import re
from dataclasses import replace

from visual_review.client.ci.checkout import Checkout
from visual_review.client.ci.facts import CiFacts, Environment
from visual_review.client.ci.parsing import (
    detect_fork,
    first_line,
    make_nonce,
    parse_number,
    shard_from_variables,
)

PROVIDER = "gitlab"


def read(env: Environment, checkout: Checkout) -> CiFacts | None:  # noqa: ARG001 - One signature.
    if not env.get("GITLAB_CI"):
        return None
    shard, shards = _read_shard(env)
    facts = CiFacts(
        PROVIDER,
        nonce=make_nonce(PROVIDER, env.get("CI_JOB_ID", "")),
        run_nonce=make_nonce(PROVIDER, env.get("CI_PIPELINE_ID", ""), _job(env)),
        shard=shard,
        shards=shards,
    )
    if env.get("CI_MERGE_REQUEST_IID"):
        return _merge_request(facts, env)
    return replace(
        facts,
        # CI_COMMIT_BRANCH is empty for a tag, CI_COMMIT_REF_NAME is not.
        branch=env.get("CI_COMMIT_BRANCH", ""),
        commit=env.get("CI_COMMIT_SHA", ""),
        message=first_line(env.get("CI_COMMIT_TITLE", "")),
    )


def _merge_request(facts: CiFacts, env: Environment) -> CiFacts:
    built = env.get("CI_COMMIT_SHA", "")
    # Set only in pipelines for merged results, where the commit built is the merge.
    source = env.get("CI_MERGE_REQUEST_SOURCE_BRANCH_SHA", "")
    return replace(
        facts,
        branch=env.get("CI_MERGE_REQUEST_SOURCE_BRANCH_NAME", ""),
        commit=source or built,
        base_commit=env.get("CI_MERGE_REQUEST_TARGET_BRANCH_SHA", ""),
        merge_commit=built if source else "",
        merge_base_commit=env.get("CI_MERGE_REQUEST_DIFF_BASE_SHA", ""),
        head_repository=detect_fork(
            env.get("CI_MERGE_REQUEST_SOURCE_PROJECT_PATH", ""),
            env.get("CI_MERGE_REQUEST_PROJECT_PATH", ""),
        ),
        pull_request=parse_number(env["CI_MERGE_REQUEST_IID"]),
        base_branch=env.get("CI_MERGE_REQUEST_TARGET_BRANCH_NAME", ""),
        message=first_line(env.get("CI_MERGE_REQUEST_TITLE") or env.get("CI_COMMIT_TITLE", "")),
    )


def _job(env: Environment) -> str:
    """Return the job's name without the position appended by ``parallel``."""
    return re.sub(r" [0-9]+/[0-9]+$", "", env.get("CI_JOB_NAME", ""))


def _read_shard(env: Environment) -> tuple[int, int]:
    # parallel:matrix numbers its jobs, too, but the jobs of a matrix are not shards.
    if _job(env) == env.get("CI_JOB_NAME", ""):
        return 1, 1
    return shard_from_variables(env.get("CI_NODE_INDEX", ""), env.get("CI_NODE_TOTAL", ""), first=1)
