"""CircleCI: https://circleci.com/docs/reference/variables/.

It does not tell which branch a pull request targets; ``--base-branch`` does.
"""

from visual_review.client.ci.checkout import Checkout
from visual_review.client.ci.facts import CiFacts, Environment
from visual_review.client.ci.parsing import fork_of, last_number, nonce_of, number_of, part

PROVIDER = "circleci"


def read(env: Environment, checkout: Checkout) -> CiFacts | None:  # noqa: ARG001 - One signature.
    if not env.get("CIRCLECI"):
        return None
    shard, shards = part(env.get("CIRCLE_NODE_INDEX", ""), env.get("CIRCLE_NODE_TOTAL", ""))
    run = nonce_of(PROVIDER, env.get("CIRCLE_WORKFLOW_ID", ""), env.get("CIRCLE_JOB", ""))
    own = nonce_of(PROVIDER, env.get("CIRCLE_WORKFLOW_JOB_ID", ""))
    # Set only for pull requests of forks.
    number = number_of(env.get("CIRCLE_PR_NUMBER", ""))
    return CiFacts(
        PROVIDER,
        branch=env.get("CIRCLE_BRANCH", ""),
        commit=env.get("CIRCLE_SHA1", ""),
        head_repository=_fork(env) if number else "",
        pull_request=number or last_number(env.get("CIRCLE_PULL_REQUEST", "")),
        nonce=own or run,
        run_nonce=run,
        shard=shard,
        shards=shards,
    )


def _fork(env: Environment) -> str:
    owner, name = env.get("CIRCLE_PR_USERNAME", ""), env.get("CIRCLE_PR_REPONAME", "")
    base = f"{env.get('CIRCLE_PROJECT_USERNAME', '')}/{env.get('CIRCLE_PROJECT_REPONAME', '')}"
    return fork_of(f"{owner}/{name}", base) if owner and name else ""
