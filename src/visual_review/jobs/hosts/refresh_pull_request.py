"""Asks the host about one pull request: without webhooks, and where their order is in doubt."""

from procrastinate import RetryStrategy
from procrastinate.contrib.django import app

from visual_review.builds.pull_requests.tracking import REFRESH_PULL_REQUEST, record_unknown
from visual_review.hosts.errors import HostMissingError, HostResponseError
from visual_review.jobs.hosts.calls.account_calls import ACCOUNT_ERRORS, calling_host
from visual_review.jobs.hosts.calls.pull_request_snapshots import linked, take_snapshot

# Some twenty minutes in all: within the hour it is asked again by turns.
RETRY = RetryStrategy(max_attempts=6, exponential_wait=4)


@app.task(name=REFRESH_PULL_REQUEST, queue="hosts", retry=RETRY)
def refresh_pull_request(repository_id: str, number: int) -> None:
    found = linked(repository_id)
    if found is None:
        return
    repository, account = found
    try:
        with calling_host(account) as host:
            answer = host.pull_request(repository.full_name, number)
        take_snapshot(repository, answer)
    except (*ACCOUNT_ERRORS, HostMissingError, HostResponseError):
        # Trying again soon helps none of these. What the host refuses is noted in the account.
        record_unknown(repository, number)
