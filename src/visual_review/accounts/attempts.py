"""Counts attempts to sign in, and requests for mails, for all processes.

Keys are digests with the service's secret: the table names no person and no IP address.
"""

import math
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import timedelta

from django.db import transaction
from django.db.models import Max
from django.utils.crypto import salted_hmac

from visual_review.accounts.attempt_rules import (
    HOUR,
    NO_ATTEMPTS,
    Attempts,
    Budget,
    count_attempt,
    end_pause,
    forget_attempt,
    take_turn,
)
from visual_review.accounts.models import AttemptCount, KnownNetwork
from visual_review.kernel.client_address import client_network, site_network
from visual_review.kernel.clock import now
from visual_review.kernel.errors import TooManyAttemptsError

# What one browser on which the person has signed in before may try.
DEVICE = Budget(free=10, first=timedelta(seconds=1), longest=timedelta(minutes=1))
# What others may try for one account from one network.
PAIR = Budget(free=5, first=timedelta(seconds=1), longest=timedelta(minutes=1))
# What one network may try in all; many people may share it.
NETWORK = Budget(free=20, first=timedelta(seconds=1), longest=timedelta(seconds=30))
# A link in an earlier mail still works, so longer pauses lock no one out.
MAIL = Budget(
    free=3, first=timedelta(minutes=5), longest=timedelta(hours=1), memory=timedelta(days=1)
)
NETWORK_KNOWN_FOR = timedelta(days=90)
SALT = "visual_review.attempts"


@dataclass(frozen=True)
class Origin:
    """Where an attempt comes from; ``device`` is set if the account was used there before.

    ``account`` is the ``account_name`` of the e-mail address, whether it has an account or not.
    """

    account: str
    address: str
    device: str = ""

    @property
    def network(self) -> str:
        return client_network(self.address)

    @property
    def site(self) -> str:
        return site_network(self.address)


def account_name(email: str) -> str:
    """Return one name for all spellings of an e-mail address.

    Look-ups ignore case in their own ways. One that finds an account under more spellings than
    are counted together would give a guesser as many more attempts.
    """
    return unicodedata.normalize("NFKC", email.strip()).upper().lower()


def begin_sign_in(origin: Origin) -> None:
    """Count an attempt before its password is checked; raises TooManyAttemptsError.

    Counting first keeps simultaneous attempts from exceeding the limit.
    """
    with transaction.atomic():
        wait = _count_on_device(origin) if origin.device else _count_elsewhere(origin)
    _refuse_until(wait)


@transaction.atomic
def record_success(origin: Origin) -> None:
    """Forget the failures of a person who knows the password, and remember the network."""
    moment = now()
    if origin.device:
        _store({_device(origin): NO_ATTEMPTS})
    else:
        _forget_elsewhere(origin)
    KnownNetwork.objects.update_or_create(
        key=_pair(origin), defaults={"expires_at": moment + NETWORK_KNOWN_FOR}
    )


def begin_reset_request(origin: Origin) -> None:
    """Count a request for a link to reset a password; raises TooManyAttemptsError."""
    key = _key("reset on device", origin.device) if origin.device else ""
    with transaction.atomic():
        wait = _count({key or _key("reset from network", origin.network): NETWORK})
    _refuse_until(wait)


def may_mail_link(origin: Origin) -> bool:
    """Count a mail to the person; False if enough were sent lately."""
    key = _key("mail", origin.account, origin.device)
    with transaction.atomic():
        return not _count({key: MAIL})


def delete_expired() -> int:
    """Delete what limits no one any more; return the number of rows."""
    moment = now()
    deleted, _ = AttemptCount.objects.filter(expires_at__lt=moment).delete()
    return deleted + KnownNetwork.objects.filter(expires_at__lt=moment).delete()[0]


def _count_on_device(origin: Origin) -> timedelta:
    return _count({_device(origin): DEVICE})


def _count_elsewhere(origin: Origin) -> timedelta:
    """Count an attempt from a browser that is not known; return how long it has to wait."""
    moment = now()
    account, turn = _account(origin), _turn(origin)
    budgets = {_pair(origin): PAIR, _network(origin): NETWORK}
    # Refused without adding rows, so that a flood with invented addresses fills no table.
    waiting = AttemptCount.objects.filter(key__in=budgets, retry_at__gt=moment)
    latest = waiting.aggregate(latest=Max("retry_at"))["latest"]
    if latest is not None:
        return latest - moment  # type: ignore[no-any-return] # An aggregate has no type.
    # Locked together, in the order of their keys: two attempts never wait for each other.
    states = _lock({*budgets, account, turn})
    wait = max(states[key].wait_at(moment) for key in budgets)
    if wait:
        return wait
    changed = {key: count_attempt(states[key], budget, moment) for key, budget in budgets.items()}
    if not KnownNetwork.objects.filter(key=_pair(origin), expires_at__gt=moment).exists():
        result = take_turn(states[account], states[turn], moment)
        turns = {account: result.account, turn: result.turn}
        wait, changed = result.wait, turns if result.wait else changed | turns
    _store(changed)
    return wait


def _forget_elsewhere(origin: Origin) -> None:
    pair, network, account = _pair(origin), _network(origin), _account(origin)
    states = _lock({pair, network, account})
    _store(
        {
            pair: NO_ATTEMPTS,
            network: end_pause(forget_attempt(states[network])),
            # Its turns stay as they were given out.
            account: forget_attempt(states[account]),
        }
    )


def _count(budgets: Mapping[str, Budget]) -> timedelta:
    """Count an attempt under each key, unless one of them has to wait; return how long."""
    moment = now()
    states = _lock(budgets)
    wait = max(state.wait_at(moment) for state in states.values())
    if not wait:
        _store({key: count_attempt(states[key], budget, moment) for key, budget in budgets.items()})
    return wait


def _lock(keys: Iterable[str]) -> dict[str, Attempts]:
    moment = now()
    ordered = sorted(keys)
    AttemptCount.objects.bulk_create(
        [
            AttemptCount(key=key, count=0, retry_at=NO_ATTEMPTS.retry_at, expires_at=moment + HOUR)
            for key in ordered
        ],
        ignore_conflicts=True,
    )
    rows = AttemptCount.objects.select_for_update().filter(key__in=ordered).order_by("key")
    states = {
        row.key: Attempts(row.count, row.retry_at, row.expires_at)
        for row in rows
        if row.expires_at > moment
    }
    return {key: states.get(key, NO_ATTEMPTS) for key in ordered}


def _store(states: Mapping[str, Attempts]) -> None:
    rows = [
        AttemptCount(
            key=key, count=state.count, retry_at=state.retry_at, expires_at=state.expires_at
        )
        for key, state in states.items()
    ]
    AttemptCount.objects.bulk_update(rows, ["count", "retry_at", "expires_at"])


def _refuse_until(wait: timedelta) -> None:
    if wait:
        raise TooManyAttemptsError(math.ceil(wait.total_seconds()))


def _device(origin: Origin) -> str:
    return _key("device", origin.account, origin.device)


def _pair(origin: Origin) -> str:
    return _key("account and network", origin.account, origin.network)


def _network(origin: Origin) -> str:
    return _key("network", origin.network)


def _account(origin: Origin) -> str:
    return _key("account", origin.account)


def _turn(origin: Origin) -> str:
    # A larger network than elsewhere: addresses of one provider are cheap, and each turn of an
    # attacker is one that another person waits for.
    return _key("turn", origin.account, origin.site)


def _key(*parts: str) -> str:
    return salted_hmac(SALT, "\0".join(parts), algorithm="sha256").hexdigest()
