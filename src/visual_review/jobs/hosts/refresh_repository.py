"""Asks the host what a connected repository is called now, and whether it is still there."""

from procrastinate import RetryStrategy
from procrastinate.contrib.django import app

from visual_review.builds.pull_requests.tracking import follow_lock
from visual_review.hosts.errors import HostMissingError, HostResponseError
from visual_review.hosts.port import Host, HostRepository
from visual_review.jobs.hosts.calls.account_calls import ACCOUNT_ERRORS, calling_host
from visual_review.jobs.hosts.calls.pull_request_snapshots import linked
from visual_review.kernel.queue import enqueue
from visual_review.repositories.host_sync import record_found, record_missing
from visual_review.repositories.models import Repository

REFRESH_REPOSITORY = "ask_repository"
# Some twenty minutes in all: the turn comes again the next day.
RETRY = RetryStrategy(max_attempts=6, exponential_wait=4)


def enqueue_repository_refresh(repository_id: str) -> None:
    """Have the job below done; one that waits already is enough."""
    enqueue(
        REFRESH_REPOSITORY,
        lock=follow_lock(repository_id),
        once=f"{REFRESH_REPOSITORY}:{repository_id}",
        repository_id=repository_id,
    )


@app.task(name=REFRESH_REPOSITORY, queue="hosts", retry=RETRY)
def refresh_repository(repository_id: str) -> None:
    sync_repository(repository_id)


def sync_repository(repository_id: str) -> str:
    """Follow the repository's name at the host; answers what came of it, in words.

    Raises HostBusyError, for which a later try helps.
    """
    found = linked(repository_id)
    if found is None:
        return "The repository is not connected with a source host any more."
    repository, account = found
    try:
        with calling_host(account) as host:
            seen = _asked(host, repository)
    except HostMissingError:
        return record_missing(repository_id)
    except (*ACCOUNT_ERRORS, HostResponseError) as error:
        return str(error)
    return record_found(repository_id, seen.id, seen.full_name)


def _asked(host: Host, repository: Repository) -> HostRepository:
    # By its id where it is known: another may have been made under the former name.
    if repository.host_id:
        return host.repository_by_id(repository.host_id)
    return host.repository(repository.full_name)
