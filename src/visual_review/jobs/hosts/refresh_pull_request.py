"""Fetches one pull request: without webhooks, and where the order of events is uncertain."""

from procrastinate import RetryStrategy
from procrastinate.contrib.django import app

from visual_review.builds.pull_requests.tracking import REFRESH_PULL_REQUEST, record_failed_refresh
from visual_review.hosts.errors import HostMissingError, HostResponseError
from visual_review.jobs.hosts.calls.account_calls import ACCOUNT_ERRORS, open_account_host
from visual_review.jobs.hosts.calls.pull_request_snapshots import (
    apply_snapshot,
    find_linked_repository,
)

# About twenty minutes in all: the poll fetches the pull request again within the hour.
RETRY = RetryStrategy(max_attempts=6, exponential_wait=4)


@app.task(name=REFRESH_PULL_REQUEST, queue="hosts", retry=RETRY)
def refresh_pull_request(repository_id: str, number: int) -> None:
    found = find_linked_repository(repository_id)
    if found is None:
        return
    repository, account = found
    try:
        with open_account_host(account) as host:
            pull_request = host.get_pull_request(repository.full_name, number)
        apply_snapshot(repository, pull_request)
    except (*ACCOUNT_ERRORS, HostMissingError, HostResponseError):
        # A retry does not help with any of these errors. Rejections are recorded in the account.
        record_failed_refresh(repository, number)
