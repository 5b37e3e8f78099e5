"""Jenkins, multibranch pipelines and single jobs.

Variables: ``/env-vars.html`` of any Jenkins; the CHANGE_ ones come from branch-source plugins.
"""

from dataclasses import replace

from visual_review.client.ci.checkout import Checkout
from visual_review.client.ci.facts import CiFacts, Environment
from visual_review.client.ci.parsing import first_line, nonce_of, number_of, repository_of

PROVIDER = "jenkins"


def read(env: Environment, checkout: Checkout) -> CiFacts | None:
    if not env.get("JENKINS_URL"):
        return None
    nonce = nonce_of(PROVIDER, env.get("BUILD_TAG", "")) or nonce_of(
        PROVIDER, env.get("JOB_NAME", ""), env.get("BUILD_NUMBER", "")
    )
    facts = CiFacts(PROVIDER, nonce=nonce, run_nonce=nonce)
    # A pipeline has GIT_COMMIT only where the result of checkout is put into the environment.
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
        pull_request=number_of(env["CHANGE_ID"]),
        base_branch=env.get("CHANGE_TARGET", ""),
        message=first_line(env.get("CHANGE_TITLE", "")),
    )


def _fork(env: Environment) -> str:
    """CHANGE_FORK names the owner alone where the fork kept the repository's name."""
    fork = env.get("CHANGE_FORK", "")
    if not fork or "/" in fork:
        return fork
    name = repository_of(env.get("GIT_URL", "")).rpartition("/")[2] or _name_in(
        env.get("CHANGE_URL", "")
    )
    return f"{fork}/{name}" if name else ""


def _name_in(change_url: str) -> str:
    """The repository in ``https://host/owner/name/pull/12``."""
    return repository_of(change_url.rsplit("/", 2)[0]).rpartition("/")[2]
