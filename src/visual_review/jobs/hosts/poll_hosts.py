"""Polls Git providers for missed webhook events: repositories daily, open pull requests hourly.

Few calls at a time, so that no provider gets all calls at once.
"""

from datetime import timedelta

from django.db.models import Exists, F, OuterRef, Q
from procrastinate.contrib.django import app

from visual_review.builds.models import Build, PullRequest
from visual_review.builds.pull_requests.ordering import OPEN
from visual_review.builds.pull_requests.tracking import enqueue_refresh
from visual_review.jobs.hosts.refresh_repository import enqueue_repository_refresh
from visual_review.kernel.clock import now
from visual_review.repositories.models import HostAccount, Repository

REPOSITORIES_EVERY = timedelta(days=1)
PULL_REQUESTS_EVERY = timedelta(hours=1)
# Per account in five minutes, a small part of the 5,000 calls an hour allowed by GitHub.
AT_ONCE = 60
# Accounts with a problem for a person to fix are retried rarely.
REJECTED_EVERY = timedelta(hours=1)


@app.periodic(cron="*/5 * * * *")
# Queued jobs have the old name.
@app.task(name="ask_hosts_in_turn", queue="upkeep", queueing_lock="ask_hosts_in_turn")
def poll_hosts(timestamp: int) -> None:  # noqa: ARG001 - Periodic jobs get a timestamp.
    moment = now()
    not_paused = Q(paused_until=None) | Q(paused_until__lte=moment)
    due = Q(problem="") | Q(checked_at=None) | Q(checked_at__lt=moment - REJECTED_EVERY)
    for account in HostAccount.objects.filter(not_paused, due):
        _enqueue_refreshes(account)


def _enqueue_refreshes(account: HostAccount) -> None:
    for row in _due_repositories(account):
        enqueue_repository_refresh(row)
    for repository_id, number in _due_pull_requests(account):
        enqueue_refresh(repository_id, number, once=True)


def _due_repositories(account: HostAccount) -> list[str]:
    """Return the ids of repositories not checked for a day, the oldest check first."""
    due = Q(host_checked_at=None) | Q(host_checked_at__lt=now() - REPOSITORIES_EVERY)
    rows = Repository.objects.filter(due, host_account=account, removed_at=None)
    oldest = rows.order_by(F("host_checked_at").asc(nulls_first=True), "id")
    return list(oldest.values_list("pk", flat=True)[:AT_ONCE])


def _due_pull_requests(account: HostAccount) -> list[tuple[str, int]]:
    """Return repository and number of open pull requests with builds, the oldest check first."""
    due = Q(asked_at=None) | Q(asked_at__lt=now() - PULL_REQUESTS_EVERY)
    builds = Build.objects.filter(
        repository_id=OuterRef("repository_id"), pull_request=OuterRef("number")
    )
    rows = PullRequest.objects.filter(
        due,
        Exists(builds),
        state=OPEN,
        repository__host_account=account,
        repository__removed_at=None,
        repository__host_problem="",
    )
    oldest = rows.order_by(F("asked_at").asc(nulls_first=True), "id")
    return list(oldest.values_list("repository_id", "number")[:AT_ONCE])
