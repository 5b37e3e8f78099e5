"""Asks the Git provider for deleted branches of a repository, and ends their baselines."""

from procrastinate import RetryStrategy
from procrastinate.contrib.django import app

from visual_review.builds.pull_requests.tracking import (
    record_branch_deleted,
    record_branch_exists,
)
from visual_review.builds.retention.baselines import branches_to_check, retire_baselines
from visual_review.hosts.errors import HostBusyError, HostError
from visual_review.hosts.port import Host
from visual_review.jobs.hosts.calls.account_calls import ACCOUNT_ERRORS, open_account_host
from visual_review.jobs.hosts.calls.pull_request_snapshots import find_linked_repository
from visual_review.kernel.clock import now
from visual_review.kernel.queue import enqueue
from visual_review.repositories.models import Repository
from visual_review.repositories.retention import limits_of, retention_of

CHECK_BRANCHES = "check_branches"
# Each is at most three calls. GitHub allows 5,000 calls an hour.
MOST_BRANCHES = 200
# About twenty minutes in all: the next night asks again.
RETRY = RetryStrategy(max_attempts=6, exponential_wait=4)


def enqueue_branch_check(repository: Repository) -> None:
    """Enqueue the job below for a repository whose Git provider responds."""
    if repository.host_account_id is not None and not repository.host_problem:
        once = f"{CHECK_BRANCHES}:{repository.id}"
        enqueue(CHECK_BRANCHES, once=once, repository_id=repository.id)


@app.task(name=CHECK_BRANCHES, queue="hosts", retry=RETRY)
def check_branches(repository_id: str) -> None:
    found = find_linked_repository(repository_id)
    if found is None:
        return
    repository, account = found
    moment = now()
    before = limits_of(repository, retention_of(repository.organization_id), moment).builds_before
    # The poll checks a rejected account, and shows its problem to people.
    if before is None or account.problem:
        return
    branches = branches_to_check(repository, before, moment, MOST_BRANCHES)
    try:
        with open_account_host(account) as host:
            for key in branches:
                if _exists(host, key.head_repository or repository.full_name, key.branch):
                    record_branch_exists(repository.id, key)
                else:
                    record_branch_deleted(repository, key)
                    retire_baselines(repository, key, before)
    except ACCOUNT_ERRORS:
        # The credentials could not be read: a person must act.
        return


def _exists(host: Host, full_name: str, branch: str) -> bool:
    """Return whether the branch exists; after an error, the branch is taken to exist."""
    try:
        if host.has_branch(full_name, branch):
            return True
        # Without access, every branch looks missing. The default branch is proof of access.
        return not host.has_branch(full_name, host.get_repository(full_name).default_branch)
    except HostBusyError:
        raise
    except HostError:
        return True
