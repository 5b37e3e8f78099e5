"""When a provider allows the next call, read from the headers of its responses; pure.

``Retry-After`` is from RFC 9110. GitHub and Gitea send ``X-RateLimit-*``. GitLab and the IETF draft
have ``RateLimit-*`` (https://docs.gitlab.com/administration/settings/user_and_ip_rate_limits/); the
draft counts seconds where the others give the time.
"""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from typing import Final

from visual_review.hosts.signatures import get_header

# A provider's wrong clock must not stop calls for days; no rate limit window exceeds an hour.
LONGEST_WAIT: Final = timedelta(hours=2)
# GitHub asks for a minute in responses without a time:
# https://docs.github.com/rest/using-the-rest-api/rate-limits-for-the-rest-api
DEFAULT_WAIT: Final = timedelta(minutes=1)
_NAMES: Final = ("X-RateLimit", "RateLimit")
# Smaller numbers are seconds to wait, larger numbers seconds since 1970.
_SMALLEST_TIME: Final = 1_000_000_000
_MOST_DIGITS: Final = 12


def parse_retry_after(headers: Mapping[str, str], moment: datetime) -> datetime | None:
    """Return the time in ``Retry-After``, given as seconds or as a date; None without one."""
    value = get_header(headers, "Retry-After").strip()
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


def parse_rate_limit_reset(headers: Mapping[str, str], moment: datetime) -> datetime | None:
    """Return when the rate limit resets, if no call is left; None while some are."""
    for name in _NAMES:
        if _number(get_header(headers, f"{name}-Remaining")) == 0:
            reset = _number(get_header(headers, f"{name}-Reset"))
            return (
                moment + DEFAULT_WAIT if reset is None else _bounded(moment, _wait(reset, moment))
            )
    return None


def next_allowed_time(headers: Mapping[str, str], moment: datetime) -> datetime:
    """Return when to retry after a response about an exceeded rate limit."""
    return (
        parse_retry_after(headers, moment)
        or parse_rate_limit_reset(headers, moment)
        or moment + DEFAULT_WAIT
    )


def _wait(reset: int, moment: datetime) -> timedelta:
    seconds = reset if reset < _SMALLEST_TIME else reset - moment.timestamp()
    return timedelta(seconds=seconds)


def _bounded(moment: datetime, wait: timedelta) -> datetime:
    return moment + min(max(wait, timedelta()), LONGEST_WAIT)


def _number(value: str) -> int | None:
    text = value.strip()
    if text.isascii() and text.isdecimal():
        return int(text[:_MOST_DIGITS])
    return None
