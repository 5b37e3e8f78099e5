"""Azure Pipelines: https://learn.microsoft.com/azure/devops/pipelines/build/variables."""

from dataclasses import replace

from visual_review.client.ci.checkout import Checkout
from visual_review.client.ci.facts import CiFacts, Environment
from visual_review.client.ci.parsing import (
    first_line,
    make_nonce,
    parse_branch,
    parse_number,
    parse_repository,
    shard_from_variables,
)

PROVIDER = "azure"


def read(env: Environment, checkout: Checkout) -> CiFacts | None:  # noqa: ARG001 - One signature.
    if not env.get("TF_BUILD"):
        return None
    run = make_nonce(
        PROVIDER,
        env.get("BUILD_BUILDID", ""),
        env.get("SYSTEM_PHASENAME") or "job",
        env.get("SYSTEM_STAGEATTEMPT") or "1",
    )
    shard, shards = _read_shard(env)
    facts = CiFacts(
        PROVIDER,
        nonce=make_nonce(run, env.get("SYSTEM_JOBATTEMPT") or "1"),
        run_nonce=run,
        shard=shard,
        shards=shards,
    )
    if env.get("SYSTEM_PULLREQUEST_SOURCEBRANCH"):
        return _pull_request(facts, env)
    return replace(
        facts,
        branch=parse_branch(env.get("BUILD_SOURCEBRANCH", "")),
        commit=env.get("BUILD_SOURCEVERSION", ""),
        message=first_line(env.get("BUILD_SOURCEVERSIONMESSAGE", "")),
    )


def _pull_request(facts: CiFacts, env: Environment) -> CiFacts:
    built = env.get("BUILD_SOURCEVERSION", "")
    head = env.get("SYSTEM_PULLREQUEST_SOURCECOMMITID", "")
    is_fork = env.get("SYSTEM_PULLREQUEST_ISFORK", "").lower() == "true"
    source = env.get("SYSTEM_PULLREQUEST_SOURCEREPOSITORYURI", "")
    # GitHub has a number; Azure Repos has only the ID.
    number = env.get("SYSTEM_PULLREQUEST_PULLREQUESTNUMBER") or env.get(
        "SYSTEM_PULLREQUEST_PULLREQUESTID", ""
    )
    return replace(
        facts,
        branch=parse_branch(env["SYSTEM_PULLREQUEST_SOURCEBRANCH"]),
        commit=head or built,
        merge_commit=built if head and head != built else "",
        head_repository=parse_repository(source) if is_fork else "",
        pull_request=parse_number(number),
        base_branch=parse_branch(env.get("SYSTEM_PULLREQUEST_TARGETBRANCH", "")),
    )


def _read_shard(env: Environment) -> tuple[int, int]:
    # The jobs of a matrix are numbered, too, but are not shards.
    if env.get("SYSTEM_PARALLELEXECUTIONTYPE", "").lower() != "multimachine":
        return 1, 1
    position, total = (
        env.get("SYSTEM_JOBPOSITIONINPHASE", ""),
        env.get("SYSTEM_TOTALJOBSINPHASE", ""),
    )
    return shard_from_variables(position, total, first=1)
