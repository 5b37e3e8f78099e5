"""Bitbucket Pipelines: https://support.atlassian.com/bitbucket-cloud/docs/variables-and-secrets/.

Parallel steps are different steps, not shards.
"""

from visual_review.client.ci.checkout import Checkout
from visual_review.client.ci.facts import CiFacts, Environment
from visual_review.client.ci.parsing import make_nonce, parse_number

PROVIDER = "bitbucket"


def read(env: Environment, checkout: Checkout) -> CiFacts | None:  # noqa: ARG001 - One signature.
    build = env.get("BITBUCKET_BUILD_NUMBER", "")
    if not build:
        return None
    number = parse_number(env.get("BITBUCKET_PR_ID", ""))
    return CiFacts(
        PROVIDER,
        branch=env.get("BITBUCKET_BRANCH", ""),
        commit=env.get("BITBUCKET_COMMIT", ""),
        base_commit=env.get("BITBUCKET_PR_DESTINATION_COMMIT", "") if number else "",
        pull_request=number,
        base_branch=env.get("BITBUCKET_PR_DESTINATION_BRANCH", "") if number else "",
        nonce=make_nonce(
            PROVIDER,
            build,
            env.get("BITBUCKET_STEP_UUID", "").strip("{}") or "step",
            env.get("BITBUCKET_STEP_RUN_NUMBER") or "1",
        ),
        run_nonce=make_nonce(PROVIDER, build),
    )
