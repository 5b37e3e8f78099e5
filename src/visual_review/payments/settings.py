"""The operator's settings for the payment provider."""

from dataclasses import dataclass

STRIPE_URL = "https://api.stripe.com"


@dataclass(frozen=True)
class StripeSettings:
    """``customer`` pays for the installation; ``product`` is what its invoices name.

    ``api_url`` is the only URL that is ever called.
    """

    secret_key: str
    webhook_secret: str
    customer: str
    product: str
    api_url: str = STRIPE_URL


@dataclass(frozen=True)
class MemorySettings:
    """A provider within this process, by name: for tests and the demo."""

    name: str


PaymentsSettings = StripeSettings | MemorySettings
