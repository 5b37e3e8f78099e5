"""What ``visual-review charges`` does, with Django at hand."""

import re
from collections.abc import Iterator
from datetime import timedelta
from typing import Final

from visual_review.billing.amounts import Month
from visual_review.billing.monthly import Charged, charges_of
from visual_review.billing.prices import decimal_of
from visual_review.config.errors import StartupError
from visual_review.config.schema_version import check_migrations
from visual_review.kernel.clock import now, rfc3339

HEAD: Final = (
    *("organization", "repository", "product", "start", "end"),
    *("days", "days in month", "price", "amount", "currency"),
)
WRITTEN: Final = re.compile(r"(?P<year>[1-9]\d{3})-(?P<number>0[1-9]|1[0-2])", re.ASCII)
# Spreadsheets take a cell that begins so for a formula, and names are written by others.
FORMULA: Final = ("=", "+", "-", "@", "\t", "\r")


def month_rows(text: str) -> Iterator[tuple[str, ...]]:
    """The table of the month ``2026-11``, with its head; the month before this for no text."""
    check_migrations()
    month = _month(text)
    yield HEAD
    for charged in charges_of(month, now()):
        yield tuple(_cell(value) for value in _row(charged, month))


def _month(text: str) -> Month:
    if not text:
        last = now().replace(day=1) - timedelta(days=1)
        return Month(last.year, last.month)
    found = WRITTEN.fullmatch(text)
    if found is None:
        raise StartupError(f"'{text[:20]}' is no month; write it like 2026-11.")
    return Month(int(found["year"]), int(found["number"]))


def _row(charged: Charged, month: Month) -> tuple[str, ...]:
    period, share = charged.period, charged.share
    return (
        period.organization.name,
        period.subject_name,
        period.product,
        rfc3339(period.started_at),
        rfc3339(period.ended_at) if period.ended_at else "",
        str(share.days),
        str(month.days),
        decimal_of(period.price, period.currency),
        decimal_of(share.amount, period.currency),
        period.currency,
    )


def _cell(value: str) -> str:
    return f"'{value}" if value.startswith(FORMULA) else value
