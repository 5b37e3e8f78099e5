from calendar import isleap
from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.case import Case
from visual_review.billing.amounts import Month, Share, share_of
from visual_review.billing.prices import (
    MOST,
    THOUSANDTHS,
    WHOLE_ONLY,
    Price,
    PriceInvalidError,
    decimal_of,
    parse_price,
)

months = st.builds(Month, st.integers(2024, 2032), st.integers(1, 12))
prices = st.integers(0, 2_000_000_000)
NOVEMBER = Month(2026, 11)


def at(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


@st.composite
def moments(draw: st.DrawFn) -> datetime:
    return at("2023-01-01") + timedelta(minutes=draw(st.integers(0, 60 * 24 * 3650)))


SHARES = [
    ("2026-11-01T00:00", None, Share(30, 900)),
    ("2026-10-05T10:00", None, Share(30, 900)),
    ("2026-11-16T23:59", None, Share(15, 450)),
    ("2026-11-30T23:59", None, Share(1, 30)),
    ("2026-12-01T00:00", None, Share(0, 0)),
    ("2026-11-10T08:00", "2026-11-10T20:00", Share(0, 0)),
    ("2026-11-10T08:00", "2026-11-11T00:00", Share(1, 30)),
    ("2026-10-10T08:00", "2026-11-01T00:00", Share(0, 0)),
    ("2026-10-10T08:00", "2026-11-01T23:59", Share(0, 0)),
    ("2026-10-10T08:00", "2026-12-01T00:00", Share(30, 900)),
    ("2026-10-01T00:00", "2026-10-31T00:00", Share(0, 0)),
]


def test_the_first_day_counts_and_the_last_does_not(case: Case) -> None:
    for start, end, share in SHARES:
        with case(f"{start} to {end}"):
            assert share_of(NOVEMBER, 900, at(start), at(end) if end else None) == share


def test_days_are_those_of_utc() -> None:
    # The first of November began two hours earlier there.
    east = datetime(2026, 11, 1, 1, 0, tzinfo=timezone(timedelta(hours=2)))
    assert share_of(Month(2026, 10), 3100, east, None) == Share(1, 100)
    assert share_of(NOVEMBER, 3000, east, None) == Share(30, 3000)


@given(prices, st.integers(2024, 2032))
def test_february_has_as_many_days_as_its_year_gives_it(price: int, year: int) -> None:
    share = share_of(Month(year, 2), price, datetime(year - 1, 5, 5, tzinfo=UTC), None)
    assert share == Share(29 if isleap(year) else 28, price)


@given(months, prices, moments(), st.lists(moments(), max_size=6))
def test_periods_that_follow_each_other_cost_what_one_would(
    month: Month, price: int, start: datetime, breaks: list[datetime]
) -> None:
    edges = sorted({start, *breaks})
    spans = [*zip(edges, [*edges[1:], None], strict=True)]
    parts = [share_of(month, price, begin, end) for begin, end in spans]
    whole = share_of(month, price, edges[0], None)
    assert sum(part.amount for part in parts) == whole.amount
    assert sum(part.days for part in parts) == whole.days


@given(prices, moments(), moments())
def test_the_days_of_all_months_are_the_days_of_the_period(
    price: int, one: datetime, other: datetime
) -> None:
    start, end = min(one, other), max(one, other)
    shares = [
        share_of(Month(year, number), price, start, end)
        for year in range(2023, 2034)
        for number in range(1, 13)
    ]
    assert sum(share.days for share in shares) == (end.date() - start.date()).days
    assert all(0 <= share.amount <= price for share in shares)


@given(months, prices, moments(), moments())
def test_an_amount_is_the_days_part_of_the_price_within_one_unit(
    month: Month, price: int, one: datetime, other: datetime
) -> None:
    share = share_of(month, price, min(one, other), max(one, other))
    assert abs(share.amount * month.days - price * share.days) <= month.days


PRICES = [
    ("9.00 EUR", Price(900, "EUR")),
    ("9 EUR", Price(900, "EUR")),
    ("9.5 EUR", Price(950, "EUR")),
    (" 0.00 EUR ", Price(0, "EUR")),
    ("1200 JPY", Price(1200, "JPY")),
    ("1.234 KWD", Price(1234, "KWD")),
]


def test_a_price_is_read_in_the_smallest_unit_of_its_currency(case: Case) -> None:
    for text, price in PRICES:
        with case(text):
            assert parse_price(text) == price


@pytest.mark.parametrize(
    "text",
    [
        *("", "9", "EUR", "9,00 EUR", "-1 EUR", "9.00 eur", "9.00EUR", "9.005 EUR", "1.5 JPY"),
        *("9.00 EURO", "1e3 EUR", "\u0669 EUR", f"{MOST} EUR", "9.00 EUR\n9.00 EUR"),
    ],
)
def test_what_is_no_price_is_refused_in_words(text: str) -> None:
    with pytest.raises(PriceInvalidError, match=r"9\.00 EUR|more than"):
        parse_price(text)


@given(
    st.integers(0, MOST),
    st.sampled_from(["EUR", "USD", *sorted(WHOLE_ONLY), *sorted(THOUSANDTHS)]),
)
def test_what_is_shown_reads_as_the_same_price(amount: int, currency: str) -> None:
    shown = f"{decimal_of(amount, currency)} {currency}"
    assert parse_price(shown) == Price(amount, currency)
