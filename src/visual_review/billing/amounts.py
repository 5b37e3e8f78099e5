"""The cost of a period in a month, by whole days in UTC; pure."""

from calendar import monthrange
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta


@dataclass(frozen=True)
class Month:
    year: int
    number: int

    @property
    def first(self) -> date:
        return date(self.year, self.number, 1)

    @property
    def days(self) -> int:
        return monthrange(self.year, self.number)[1]


@dataclass(frozen=True)
class Share:
    """A period's part of a month: how many of its days, and the amount in the smallest unit."""

    days: int
    amount: int


def share_of(month: Month, price: int, start: datetime, end: datetime | None) -> Share:
    """Return the cost in ``month`` of a period from ``start`` until ``end`` (None: still running).

    The first day counts and the last day does not. Two consecutive periods meeting on one day
    pay for the day once, and a period ending on the day of its start costs nothing.
    """
    begin = _offset(month, start)
    until = month.days if end is None else _offset(month, end)
    # The difference of two rounded sums: the shares of a month always add up to its price.
    amount = _rounded(price, until, month.days) - _rounded(price, begin, month.days)
    return Share(until - begin, amount)


def _offset(month: Month, moment: datetime) -> int:
    """Return the days from the start of the month to ``moment``, clamped to the month."""
    days = (moment.astimezone(UTC).date() - month.first) // timedelta(days=1)
    return min(max(days, 0), month.days)


def _rounded(price: int, days: int, of: int) -> int:
    return (2 * price * days + of) // (2 * of)
