"""The operator's settings for the payment provider."""

from dataclasses import dataclass

STRIPE_URL = "https://api.stripe.com"


@dataclass(frozen=True)
class StripeSettings:
    """``customer`` pays for the installation; invoices name ``product``.

    The service calls no URL but ``api_url``.
    """

    secret_key: str
    webhook_secret: str
    customer: str
    product: str
    api_url: str = STRIPE_URL


@dataclass(frozen=True)
class MemorySettings:
    """A provider within the same process, chosen by name: for tests and the demo."""

    name: str


PaymentsSettings = StripeSettings | MemorySettings
