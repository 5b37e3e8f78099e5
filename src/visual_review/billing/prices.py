"""Monthly prices: parsing the setting, and formatting; pure."""

import re
from dataclasses import dataclass
from typing import Final

# Source: ISO 4217, the currencies without two decimals.
WHOLE_ONLY: Final = frozenset(
    {
        *("BIF", "CLP", "DJF", "GNF", "ISK", "JPY", "KMF", "KRW"),
        *("PYG", "RWF", "UGX", "VND", "VUV", "XAF", "XOF", "XPF"),
    }
)
THOUSANDTHS: Final = frozenset({"BHD", "IQD", "JOD", "KWD", "LYD", "OMR", "TND"})
# The column holds 31 bits.
MOST: Final = 2_000_000_000
_PATTERN: Final = re.compile(
    r"(?P<whole>[0-9]{1,10})(?:\.(?P<part>[0-9]{1,3}))? (?P<currency>[A-Z]{3})"
)


class PriceInvalidError(ValueError):
    """The text is not a price; the message names the mistake and shows an example."""


@dataclass(frozen=True)
class Price:
    """``amount`` is in the currency's smallest unit: 900 EUR are 9.00 euros."""

    amount: int
    currency: str


def parse_price(text: str) -> Price:
    """Parse a price such as ``9.00 EUR``; raises PriceInvalidError."""
    found = _PATTERN.fullmatch(text.strip())
    if found is None:
        raise PriceInvalidError(f"'{text[:40]}' is not a price; write it like '9.00 EUR'.")
    currency, part = found["currency"], found["part"] or ""
    places = places_of(currency)
    if len(part) > places:
        raise PriceInvalidError(
            f"'{text[:40]}' has more decimals than {currency} has ({places}); "
            "write it like '9.00 EUR'."
        )
    amount = int(found["whole"]) * 10**places + int(part.ljust(places, "0") or "0")
    if amount > MOST:
        raise PriceInvalidError(
            f"'{text[:40]}' is more than the largest price that can be charged."
        )
    return Price(amount, currency)


def decimal_of(amount: int, currency: str) -> str:
    """Format an amount in smallest units: 900 EUR is ``9.00``."""
    places = places_of(currency)
    if not places:
        return str(amount)
    whole, part = divmod(amount, 10**places)
    return f"{whole}.{part:0{places}}"


def places_of(currency: str) -> int:
    """Return how many decimals the currency has."""
    if currency in WHOLE_ONLY:
        return 0
    return 3 if currency in THOUSANDTHS else 2
