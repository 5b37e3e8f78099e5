"""Calls the Git provider of a connected account, and records the outcome."""

from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import timedelta
from typing import Final

from visual_review.hosts.errors import HostAccessError, HostBusyError, HostNotAllowedError
from visual_review.hosts.factory import open_host
from visual_review.hosts.port import Host
from visual_review.kernel.clock import now
from visual_review.kernel.encryption import DecryptionError
from visual_review.repositories.host_accounts import credentials_of
from visual_review.repositories.models import HostAccount

# Errors that only a person can fix, in the settings of the account or of the service.
ACCOUNT_ERRORS: Final = (HostAccessError, HostNotAllowedError, DecryptionError)

# No rate limit window is longer; a distant date is a mistake, and would stop all calls.
LONGEST_PAUSE: Final = timedelta(hours=1)


@contextmanager
def open_account_host(account: HostAccount) -> Iterator[Host]:
    """Open a client for the account. Never use it within a transaction.

    Raises HostBusyError at once while the provider's rate limit applies. Rejections are recorded in
    ``account.problem``, and the time of the next allowed call in ``account.paused_until``.
    """
    _require_not_paused(account)
    try:
        with closing(open_host(account.kind, account.address, credentials_of(account))) as host:
            yield host
    except ACCOUNT_ERRORS as error:
        _record(account, problem=str(error))
        raise
    except HostBusyError as error:
        if error.until is not None:
            error.until = min(error.until, now() + LONGEST_PAUSE)
            _record(account, paused_until=error.until)
        raise
    _record_success(account)


def _require_not_paused(account: HostAccount) -> None:
    # Read again: another worker may have run into a rate limit in the meantime.
    account.refresh_from_db(fields=["paused_until", "problem"])
    until = account.paused_until
    if until is not None and until > now():
        raise HostBusyError(f"The Git provider allows no calls before {until:%H:%M:%S} UTC.", until)


def _record(account: HostAccount, **values: object) -> None:
    HostAccount.objects.filter(pk=account.pk).update(**values, checked_at=now())


def _record_success(account: HostAccount) -> None:
    if account.problem or account.paused_until:
        # Only the values read at the start: another worker may have recorded new ones since.
        HostAccount.objects.filter(
            pk=account.pk, problem=account.problem, paused_until=account.paused_until
        ).update(problem="", paused_until=None, checked_at=now())
