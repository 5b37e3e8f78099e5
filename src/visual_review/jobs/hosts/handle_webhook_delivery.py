"""Does what a delivery of a source host told; in order for each repository."""

from procrastinate import JobContext, RetryStrategy
from procrastinate.contrib.django import app

from visual_review.builds.pull_requests.tracking import record_branch_deleted
from visual_review.hosts.errors import HostBusyError, HostResponseError
from visual_review.hosts.port import Event
from visual_review.hosts.stored_events import event_of
from visual_review.jobs.hosts.calls.account_calls import ACCOUNT_ERRORS, calling_host
from visual_review.jobs.hosts.calls.pull_request_snapshots import take_event
from visual_review.jobs.hosts.refresh_repository import sync_repository
from visual_review.repositories.deliveries import (
    ACCOUNT_REMOVED,
    HANDLE_DELIVERY,
    end,
    repository_of_event,
)
from visual_review.repositories.models import HostAccount, Repository, WebhookDelivery

ATTEMPTS = 6
RETRY = RetryStrategy(max_attempts=ATTEMPTS, exponential_wait=4)
FAILED = "The service failed at it; its log tells more. The host is asked again within a day."
NOT_CONNECTED = "This repository is not connected here any more."


@app.task(name=HANDLE_DELIVERY, queue="hosts", retry=RETRY, pass_context=True)
def handle_delivery(context: JobContext, delivery_id: int) -> None:
    """May be cut anywhere and run again: nothing of it counts twice."""
    delivery = (
        WebhookDelivery.objects.select_related("account")
        .filter(pk=delivery_id, handled_at=None)
        .first()
    )
    if delivery is None:
        return
    try:
        end(delivery, _handle(delivery))
    except HostResponseError as error:
        end(delivery, f"Not handled. {error}")
    except HostBusyError as error:
        if context.job.attempts + 1 < ATTEMPTS:
            raise
        end(delivery, f"The host is asked again within a day. {error}")
    except Exception:
        if context.job.attempts + 1 >= ATTEMPTS:
            end(delivery, FAILED)
        raise


def _handle(delivery: WebhookDelivery) -> str:
    event = event_of(delivery.event)
    if event.kind == ACCOUNT_REMOVED:
        return _look_at_account(delivery.account)
    repository = repository_of_event(delivery.account, event.repository_id, event.full_name)
    return NOT_CONNECTED if repository is None else _follow(repository, event)


def _look_at_account(account: HostAccount) -> str:
    """Ask whether the host still knows us, since a delivery may be old; the asking notes it."""
    try:
        with calling_host(account) as host:
            return f"The host still knows the account as {host.identity().name}."
    except ACCOUNT_ERRORS as error:
        return str(error)


def _follow(repository: Repository, event: Event) -> str:
    if event.kind == "pull_request" and event.pull_request is not None:
        return take_event(repository, event.pull_request)
    if event.kind == "branch_deleted":
        count = record_branch_deleted(repository, event.branch)
        return f"The branch '{event.branch}' was deleted. Baselines marked: {count}."
    # A delivery may be old, and replayed: what a repository is called is asked, never believed.
    return sync_repository(repository.id)
