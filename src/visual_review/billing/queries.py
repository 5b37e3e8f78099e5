"""Queries of charges, always within one organization."""

from django.db.models import QuerySet

from visual_review.billing.models import ChargePeriod
from visual_review.billing.prices import decimal_of


def running_charges(organization_id: str) -> QuerySet[ChargePeriod]:
    """Return the running charges, by name."""
    rows = ChargePeriod.objects.filter(organization_id=organization_id, ended_at=None)
    return rows.order_by("subject_name", "id")


def price_of(charge: ChargePeriod) -> str:
    """Return the monthly price, such as ``9.00 EUR``."""
    return f"{decimal_of(charge.price, charge.currency)} {charge.currency}"
