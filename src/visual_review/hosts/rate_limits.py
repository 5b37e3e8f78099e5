"""When a host asks us to come again, read from the headers of its answers; pure.

``Retry-After`` is RFC 9110's. ``X-RateLimit-*`` is GitHub's and Gitea's, ``RateLimit-*`` GitLab's
(https://docs.gitlab.com/administration/settings/user_and_ip_rate_limits/) and that of the IETF
draft, which counts seconds where the others give the time itself.
"""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from typing import Final

from visual_review.hosts.signatures import header

# A wrong clock at the host must not silence us for days; no host's window is longer than an hour.
LONGEST: Final = timedelta(hours=2)
# What GitHub asks for where it names no time:
# https://docs.github.com/rest/using-the-rest-api/rate-limits-for-the-rest-api
USUAL: Final = timedelta(minutes=1)
_NAMES: Final = ("X-RateLimit", "RateLimit")
# Numbers below are seconds to wait, those above seconds since 1970.
_SMALLEST_TIME: Final = 1_000_000_000
_MOST_DIGITS: Final = 12


def asked_for(headers: Mapping[str, str], moment: datetime) -> datetime | None:
    """When ``Retry-After`` asks to come again, as seconds or as a date; None without one."""
    value = header(headers, "Retry-After").strip()
    seconds = _number(value)
    if seconds is not None:
        return _bounded(moment, timedelta(seconds=seconds))
    try:
        date = parsedate_to_datetime(value)
    except ValueError:
        return None
    if date.tzinfo is None:
        date = date.replace(tzinfo=UTC)
    return _bounded(moment, date - moment)


def used_up(headers: Mapping[str, str], moment: datetime) -> datetime | None:
    """When calls are counted anew, if this answer used up the last one; None while some are left."""
    for name in _NAMES:
        if _number(header(headers, f"{name}-Remaining")) == 0:
            reset = _number(header(headers, f"{name}-Reset"))
            return moment + USUAL if reset is None else _bounded(moment, _wait(reset, moment))
    return None


def come_again(headers: Mapping[str, str], moment: datetime) -> datetime:
    """When to come again after an answer that says we asked too often."""
    return asked_for(headers, moment) or used_up(headers, moment) or moment + USUAL


def _wait(reset: int, moment: datetime) -> timedelta:
    seconds = reset if reset < _SMALLEST_TIME else reset - moment.timestamp()
    return timedelta(seconds=seconds)


def _bounded(moment: datetime, wait: timedelta) -> datetime:
    return moment + min(max(wait, timedelta()), LONGEST)


def _number(value: str) -> int | None:
    text = value.strip()
    if text.isascii() and text.isdecimal():
        return int(text[:_MOST_DIGITS])
    return None
