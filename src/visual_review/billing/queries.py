"""Reading charges, always within one organization."""

from django.db.models import QuerySet

from visual_review.billing.models import ChargePeriod
from visual_review.billing.prices import decimal_of


def running_charges(organization_id: str) -> QuerySet[ChargePeriod]:
    """What is charged for now, by name."""
    rows = ChargePeriod.objects.filter(organization_id=organization_id, ended_at=None)
    return rows.order_by("subject_name", "id")


def price_of(charge: ChargePeriod) -> str:
    """The price of a month, such as ``9.00 EUR``."""
    return f"{decimal_of(charge.price, charge.currency)} {charge.currency}"
