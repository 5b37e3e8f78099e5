"""Asks the host about one pull request: without webhooks, and where their order is in doubt."""

from procrastinate import RetryStrategy
from procrastinate.contrib.django import app

from visual_review.builds.pull_requests.tracking import ASK_PULL_REQUEST, note_unknown
from visual_review.hosts.errors import HostAnswerError, HostMissingError
from visual_review.jobs.hosts.calls.account_calls import TROUBLES, asking
from visual_review.jobs.hosts.calls.pull_request_snapshots import linked, take_answer

# Some twenty minutes in all: within the hour it is asked again by turns.
RETRY = RetryStrategy(max_attempts=6, exponential_wait=4)


@app.task(name=ASK_PULL_REQUEST, queue="hosts", retry=RETRY)
def ask_pull_request(repository_id: str, number: int) -> None:
    found = linked(repository_id)
    if found is None:
        return
    repository, account = found
    try:
        with asking(account) as host:
            answer = host.pull_request(repository.full_name, number)
        take_answer(repository, answer)
    except (*TROUBLES, HostMissingError, HostAnswerError):
        # Trying again soon helps none of these. What the host refuses is noted in the account.
        note_unknown(repository, number)
