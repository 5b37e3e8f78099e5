"""Fetches the current name of a connected repository, and whether the repository still exists."""

from procrastinate import RetryStrategy
from procrastinate.contrib.django import app

from visual_review.builds.pull_requests.tracking import pull_requests_lock
from visual_review.hosts.errors import HostMissingError, HostResponseError
from visual_review.hosts.port import Host, HostRepository
from visual_review.jobs.hosts.calls.account_calls import ACCOUNT_ERRORS, open_account_host
from visual_review.jobs.hosts.calls.pull_request_snapshots import find_linked_repository
from visual_review.kernel.queue import enqueue
from visual_review.repositories.host_sync import record_found, record_missing
from visual_review.repositories.models import Repository

# Queued jobs have the old name.
REFRESH_REPOSITORY = "ask_repository"
# About twenty minutes in all: the poll fetches the name again the next day.
RETRY = RetryStrategy(max_attempts=6, exponential_wait=4)


def enqueue_repository_refresh(repository_id: str) -> None:
    """Enqueue the job below, unless one is waiting already."""
    enqueue(
        REFRESH_REPOSITORY,
        lock=pull_requests_lock(repository_id),
        once=f"{REFRESH_REPOSITORY}:{repository_id}",
        repository_id=repository_id,
    )


@app.task(name=REFRESH_REPOSITORY, queue="hosts", retry=RETRY)
def refresh_repository(repository_id: str) -> None:
    sync_repository(repository_id)


def sync_repository(repository_id: str) -> str:
    """Apply the repository's name at the provider; return a text about the outcome.

    Raises HostBusyError; a later retry may succeed.
    """
    found = find_linked_repository(repository_id)
    if found is None:
        return "The repository is no longer connected to a Git provider."
    repository, account = found
    try:
        with open_account_host(account) as host:
            seen = _fetch_repository(host, repository)
    except HostMissingError:
        return record_missing(repository_id)
    except (*ACCOUNT_ERRORS, HostResponseError) as error:
        return str(error)
    return record_found(repository_id, seen.id, seen.full_name)


def _fetch_repository(host: Host, repository: Repository) -> HostRepository:
    # Find a known repository by its id: another repository may have been created with the old name.
    if repository.host_id:
        return host.get_repository_by_id(repository.host_id)
    return host.get_repository(repository.full_name)
