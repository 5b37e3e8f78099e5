"""Jenkins, multibranch pipelines and single jobs.

Variables: ``/env-vars.html`` of any Jenkins; the CHANGE_ ones come from branch-source plugins.
"""

from dataclasses import replace

from visual_review.client.ci.checkout import Checkout
from visual_review.client.ci.facts import CiFacts, Environment
from visual_review.client.ci.parsing import first_line, make_nonce, parse_number, parse_repository

PROVIDER = "jenkins"


def read(env: Environment, checkout: Checkout) -> CiFacts | None:
    if not env.get("JENKINS_URL"):
        return None
    nonce = make_nonce(PROVIDER, env.get("BUILD_TAG", "")) or make_nonce(
        PROVIDER, env.get("JOB_NAME", ""), env.get("BUILD_NUMBER", "")
    )
    facts = CiFacts(PROVIDER, nonce=nonce, run_nonce=nonce)
    # A pipeline has GIT_COMMIT only if it exports the result of checkout.
    built = env.get("GIT_COMMIT") or checkout.resolve("HEAD")
    if env.get("CHANGE_ID"):
        return _change(facts, env, checkout, built)
    return replace(facts, branch=_branch(env), commit=built)


def _branch(env: Environment) -> str:
    if env.get("TAG_NAME"):
        return ""
    for name in ("BRANCH_NAME", "GIT_LOCAL_BRANCH"):
        if env.get(name):
            return env[name]
    branch = env.get("GIT_BRANCH", "").removeprefix("refs/remotes/").removeprefix("origin/")
    return "" if branch == "detached" else branch


def _change(facts: CiFacts, env: Environment, checkout: Checkout, built: str) -> CiFacts:
    # The plugins fetch the head under the job's branch name and build it or a merge of it.
    head = checkout.resolve(f"refs/remotes/origin/{env.get('BRANCH_NAME', '')}") or built
    return replace(
        facts,
        branch=env.get("CHANGE_BRANCH") or env.get("BRANCH_NAME", ""),
        commit=head,
        merge_commit=built if head != built else "",
        head_repository=_fork(env),
        pull_request=parse_number(env["CHANGE_ID"]),
        base_branch=env.get("CHANGE_TARGET", ""),
        message=first_line(env.get("CHANGE_TITLE", "")),
    )


def _fork(env: Environment) -> str:
    """Return the fork; CHANGE_FORK is only the owner if the fork has the same name."""
    fork = env.get("CHANGE_FORK", "")
    if not fork or "/" in fork:
        return fork
    name = parse_repository(env.get("GIT_URL", "")).rpartition("/")[2] or _repository_name(
        env.get("CHANGE_URL", "")
    )
    return f"{fork}/{name}" if name else ""


def _repository_name(change_url: str) -> str:
    """Return the repository name in ``https://host/owner/name/pull/12``."""
    return parse_repository(change_url.rsplit("/", 2)[0]).rpartition("/")[2]
