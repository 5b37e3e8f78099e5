"""Asking the source host of a connected account, and noting how it went."""

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

# What only a person mends, in the settings of the account or of the service.
ACCOUNT_ERRORS: Final = (HostAccessError, HostNotAllowedError, DecryptionError)

# No host counts calls for longer; a date far away is a mistake, and would silence us for good.
LONGEST_PAUSE: Final = timedelta(hours=1)


@contextmanager
def calling_host(account: HostAccount) -> Iterator[Host]:
    """The account's host. Never to be used within a transaction.

    Raises HostBusyError at once while the host asked to be left alone. What it refuses is noted
    in ``account.problem``, and when it wants to be asked again in ``account.paused_until``.
    """
    _require_not_paused(account)
    try:
        with closing(open_host(account.kind, account.address, credentials_of(account))) as host:
            yield host
    except ACCOUNT_ERRORS as error:
        _note(account, problem=str(error))
        raise
    except HostBusyError as error:
        if error.until is not None:
            error.until = min(error.until, now() + LONGEST_PAUSE)
            _note(account, paused_until=error.until)
        raise
    _record_success(account)


def _require_not_paused(account: HostAccount) -> None:
    # Read anew: another worker may have been told to wait meanwhile.
    account.refresh_from_db(fields=["paused_until", "problem"])
    until = account.paused_until
    if until is not None and until > now():
        raise HostBusyError(
            f"The source host asked not to be called before {until:%H:%M:%S} UTC.", until
        )


def _note(account: HostAccount, **values: object) -> None:
    HostAccount.objects.filter(pk=account.pk).update(**values, checked_at=now())


def _record_success(account: HostAccount) -> None:
    if account.problem or account.paused_until:
        # Only what was read at the beginning: another worker may have met something new since.
        HostAccount.objects.filter(
            pk=account.pk, problem=account.problem, paused_until=account.paused_until
        ).update(problem="", paused_until=None, checked_at=now())
