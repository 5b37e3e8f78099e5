"""Finds an organization's repositories at the Git provider of its connected account."""

import logging

from django.db import IntegrityError, transaction
from procrastinate import RetryStrategy
from procrastinate.contrib.django import app

from visual_review.audit.log import SYSTEM, Change, record
from visual_review.builds.notifying.outbox import clear_delivered
from visual_review.hosts.errors import HostMissingError
from visual_review.hosts.port import Host, HostRepository
from visual_review.jobs.hosts.calls.account_calls import ACCOUNT_ERRORS, open_account_host
from visual_review.kernel.clock import now
from visual_review.repositories.host_accounts import LINK_REPOSITORIES
from visual_review.repositories.models import HostAccount, Repository
from visual_review.repositories.queries import repositories_of, repository_target

# Pauses of 3, 9, 27 seconds and so on, for a provider with an outage of some hours.
RETRY = RetryStrategy(max_attempts=9, exponential_wait=3)
LINKED = "repository.linked"
UNREACHABLE = (
    "The connected account cannot reach this repository. Give it access at your Git provider."
)
TAKEN = (
    "At the Git provider this repository has the name of another one that is connected here. "
    "Remove one of the two."
)

logger = logging.getLogger(__name__)


@app.task(name=LINK_REPOSITORIES, queue="hosts", retry=RETRY)
def link_repositories(account_id: str) -> None:
    account = HostAccount.objects.filter(pk=account_id).first()
    if account is None:
        return
    try:
        with open_account_host(account) as host:
            for repository in list(repositories_of(account.organization_id)):
                _link(account, host, repository)
    except ACCOUNT_ERRORS as error:
        # Recorded at the account, where people see the problem; a retry would not help.
        logger.warning("the repositories of %s were not linked: %s", account.id, error)


def _link(account: HostAccount, host: Host, repository: Repository) -> None:
    try:
        found = _fetch_repository(account, host, repository)
    except HostMissingError:
        Repository.objects.filter(pk=repository.pk).update(
            host_problem=UNREACHABLE, host_checked_at=now()
        )
        return
    if repository.host_account_id is None:
        # Nothing is delivered meanwhile; cleared outside the transaction below, as many rows may
        # change.
        clear_delivered(repository)
    try:
        _store(account, repository, found)
    except IntegrityError:
        Repository.objects.filter(pk=repository.pk).update(
            host_problem=TAKEN, host_checked_at=now()
        )


def _fetch_repository(account: HostAccount, host: Host, repository: Repository) -> HostRepository:
    # Find a known repository by its id: the name may belong to another repository by now.
    if repository.host_account_id == account.id and repository.host_id:
        return host.get_repository_by_id(repository.host_id)
    return host.get_repository(repository.full_name)


def _store(account: HostAccount, repository: Repository, found: HostRepository) -> None:
    """Store the link; the default branch stays, since a person may have chosen the branch here."""
    with transaction.atomic():
        # The account may have been disconnected in the meantime.
        if not HostAccount.objects.select_for_update(no_key=True).filter(pk=account.pk).exists():
            return
        rows = Repository.objects.select_for_update(no_key=True)
        row = rows.filter(pk=repository.pk, removed_at=None).first()
        if row is None:
            return
        is_newly_linked = row.host_account_id != account.pk
        row.host_account, row.host_id = account, found.id
        row.host_problem, row.host_checked_at = "", now()
        row.save(update_fields=["host_account", "host_id", "host_problem", "host_checked_at"])
        if is_newly_linked:
            change = Change(LINKED, repository_target(row), after={"sourceHost": account.address})
            record(row.organization_id, SYSTEM, change)
