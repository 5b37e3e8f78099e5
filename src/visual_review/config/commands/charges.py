"""Implements ``visual-review charges``; needs Django."""

import re
from collections.abc import Iterator
from datetime import timedelta
from typing import Final

from visual_review.billing.amounts import Month
from visual_review.billing.periods import MonthlyCharge, charges_of
from visual_review.billing.prices import decimal_of
from visual_review.config.environment import StartupError
from visual_review.config.schema_version import check_migrations
from visual_review.kernel.clock import now, rfc3339

HEADER: Final = (
    *("organization", "repository", "product", "start", "end"),
    *("days", "days in month", "price", "amount", "currency"),
)
MONTH_PATTERN: Final = re.compile(r"(?P<year>[1-9]\d{3})-(?P<number>0[1-9]|1[0-2])", re.ASCII)
# Spreadsheets take such cells for formulas, some spreadsheets also the wide characters of East
# Asia, and users choose the names in the cells.
FORMULA_PREFIXES: Final = (*"=+-@", *"\uff1d\uff0b\uff0d\uff20", "\t", "\r", "\n")


def list_charge_rows(text: str) -> Iterator[tuple[str, ...]]:
    """List the header and rows of a month such as ``2026-11``; "" means last month."""
    check_migrations()
    month = _parse_month(text)
    yield HEADER
    for charged in charges_of(month, now()):
        yield tuple(_escape_formula(value) for value in _make_row(charged, month))


def _parse_month(text: str) -> Month:
    if not text:
        last = now().replace(day=1) - timedelta(days=1)
        return Month(last.year, last.month)
    found = MONTH_PATTERN.fullmatch(text)
    if found is None:
        raise StartupError(f"'{text[:20]}' is not a month. Write it like 2026-11.")
    return Month(int(found["year"]), int(found["number"]))


def _make_row(charged: MonthlyCharge, month: Month) -> tuple[str, ...]:
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


def _escape_formula(value: str) -> str:
    return f"'{value}" if value.startswith(FORMULA_PREFIXES) else value
