"""Handles a webhook delivery of a Git provider; one at a time for each repository."""

from procrastinate import JobContext, RetryStrategy
from procrastinate.contrib.django import app

from visual_review.builds.pull_requests.tracking import record_branch_deleted
from visual_review.builds.source import BranchKey
from visual_review.hosts.errors import HostBusyError, HostResponseError
from visual_review.hosts.port import Event, parse_stored_event
from visual_review.jobs.hosts.calls.account_calls import ACCOUNT_ERRORS, open_account_host
from visual_review.jobs.hosts.calls.pull_request_snapshots import apply_event
from visual_review.jobs.hosts.refresh_repository import sync_repository
from visual_review.repositories.deliveries import (
    ACCOUNT_REMOVED,
    HANDLE_DELIVERY,
    finish_delivery,
    repository_of_event,
)
from visual_review.repositories.models import HostAccount, Repository, WebhookDelivery

ATTEMPTS = 6
RETRY = RetryStrategy(max_attempts=ATTEMPTS, exponential_wait=4)
FAILED = (
    "Handling it failed; see the service's log for details. "
    "The Git provider is asked again within a day."
)
NOT_CONNECTED = "This repository is no longer connected here."


@app.task(name=HANDLE_DELIVERY, queue="hosts", retry=RETRY, pass_context=True)
def handle_delivery(context: JobContext, delivery_id: int, organization_id: str = "") -> None:  # noqa: ARG001 - The queue reads it: organizations take turns.
    """Handle the delivery; may be interrupted anywhere and run again without counting twice."""
    delivery = (
        WebhookDelivery.objects.select_related("account")
        .filter(pk=delivery_id, handled_at=None)
        .first()
    )
    if delivery is None:
        return
    try:
        finish_delivery(delivery, _handle(delivery))
    except HostResponseError as error:
        finish_delivery(delivery, f"Not handled. {error}")
    except HostBusyError as error:
        if context.job.attempts + 1 < ATTEMPTS:
            raise
        finish_delivery(delivery, f"The Git provider is asked again within a day. {error}")
    except Exception:
        if context.job.attempts + 1 >= ATTEMPTS:
            finish_delivery(delivery, FAILED)
        raise


def _handle(delivery: WebhookDelivery) -> str:
    event = parse_stored_event(delivery.event)
    if event.kind == ACCOUNT_REMOVED:
        return _check_account(delivery.account)
    repository = repository_of_event(delivery.account, event.repository_id, event.full_name)
    return NOT_CONNECTED if repository is None else _apply(repository, event)


def _check_account(account: HostAccount) -> str:
    """Check whether the account still works, since a delivery may be old; records problems."""
    try:
        with open_account_host(account) as host:
            return f"The Git provider still accepts the account {host.get_identity().name}."
    except ACCOUNT_ERRORS as error:
        return str(error)


def _apply(repository: Repository, event: Event) -> str:
    if event.kind == "pull_request" and event.pull_request is not None:
        return apply_event(repository, event.pull_request)
    if event.kind == "branch_deleted":
        count = record_branch_deleted(repository, BranchKey(event.branch))
        return f"The branch '{event.branch}' was deleted. Baselines marked: {count}."
    # A delivery may be old or replayed, so the provider is asked for the repository's name.
    return sync_repository(repository.id)
