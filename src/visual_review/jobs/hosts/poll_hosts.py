"""Asks source hosts what webhooks would have told: each repository daily, open pull requests hourly.

A few at a time, so that no host is asked for everything at once.
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
# Of one account in five minutes. GitHub allows 5,000 calls an hour, and these leave most of them.
AT_ONCE = 60
# What a person must mend is tried anew rarely.
REFUSED_EVERY = timedelta(hours=1)


@app.periodic(cron="*/5 * * * *")
@app.task(name="ask_hosts_in_turn", queue="upkeep", queueing_lock="ask_hosts_in_turn")
def poll_hosts(timestamp: int) -> None:  # noqa: ARG001 - Periodic jobs are told their time.
    moment = now()
    rested = Q(paused_until=None) | Q(paused_until__lte=moment)
    tried = Q(problem="") | Q(checked_at=None) | Q(checked_at__lt=moment - REFUSED_EVERY)
    for account in HostAccount.objects.filter(rested, tried):
        _ask(account)


def _ask(account: HostAccount) -> None:
    for row in _repositories(account):
        enqueue_repository_refresh(row)
    for repository_id, number in _pull_requests(account):
        enqueue_refresh(repository_id, number, once=True)


def _repositories(account: HostAccount) -> list[str]:
    """The ids of those that were not looked at for a day, the longest unseen first."""
    due = Q(host_checked_at=None) | Q(host_checked_at__lt=now() - REPOSITORIES_EVERY)
    rows = Repository.objects.filter(due, host_account=account, removed_at=None)
    oldest = rows.order_by(F("host_checked_at").asc(nulls_first=True), "id")
    return list(oldest.values_list("pk", flat=True)[:AT_ONCE])


def _pull_requests(account: HostAccount) -> list[tuple[str, int]]:
    """Repository and number of open ones that have builds, the longest unseen first."""
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
