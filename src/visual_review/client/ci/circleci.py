"""CircleCI: https://circleci.com/docs/reference/variables/.

CircleCI does not provide the base branch of a pull request; set ``--base-branch``.
"""

from visual_review.client.ci.checkout import Checkout
from visual_review.client.ci.facts import CiFacts, Environment
from visual_review.client.ci.parsing import (
    detect_fork,
    make_nonce,
    parse_number,
    parse_trailing_number,
    shard_from_variables,
)

PROVIDER = "circleci"


def read(env: Environment, checkout: Checkout) -> CiFacts | None:  # noqa: ARG001 - One signature.
    if not env.get("CIRCLECI"):
        return None
    shard, shards = shard_from_variables(
        env.get("CIRCLE_NODE_INDEX", ""), env.get("CIRCLE_NODE_TOTAL", "")
    )
    run = make_nonce(PROVIDER, env.get("CIRCLE_WORKFLOW_ID", ""), env.get("CIRCLE_JOB", ""))
    own = make_nonce(PROVIDER, env.get("CIRCLE_WORKFLOW_JOB_ID", ""))
    # Set only for pull requests of forks.
    number = parse_number(env.get("CIRCLE_PR_NUMBER", ""))
    return CiFacts(
        PROVIDER,
        branch=env.get("CIRCLE_BRANCH", ""),
        commit=env.get("CIRCLE_SHA1", ""),
        head_repository=_fork(env) if number else "",
        pull_request=number or parse_trailing_number(env.get("CIRCLE_PULL_REQUEST", "")),
        nonce=own or run,
        run_nonce=run,
        shard=shard,
        shards=shards,
    )


def _fork(env: Environment) -> str:
    owner, name = env.get("CIRCLE_PR_USERNAME", ""), env.get("CIRCLE_PR_REPONAME", "")
    base = f"{env.get('CIRCLE_PROJECT_USERNAME', '')}/{env.get('CIRCLE_PROJECT_REPONAME', '')}"
    return detect_fork(f"{owner}/{name}", base) if owner and name else ""
