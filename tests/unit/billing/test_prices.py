import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.case import Case
from visual_review.billing.prices import (
    MOST,
    THOUSANDTHS,
    WHOLE_ONLY,
    Price,
    PriceInvalidError,
    decimal_of,
    parse_price,
)

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
