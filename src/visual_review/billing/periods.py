"""Starting, ending and listing charges: a subject has at most one running charge."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Final

from django.db import transaction
from django.db.models import Q, QuerySet

from visual_review.billing.amounts import Month, Share, share_of
from visual_review.billing.models import ChargePeriod
from visual_review.billing.prices import Price, decimal_of
from visual_review.billing.provider_sync import enqueue_notification
from visual_review.kernel.clock import now

_END_CHARGE: Final = """
UPDATE billing_chargeperiod SET ended_at = %s, ended_by_id = %s, ended_by_name = %s
WHERE product = %s AND subject_id = %s AND ended_at IS NULL
RETURNING *
"""


@dataclass(frozen=True)
class Subject:
    """The charged object: one of our products (``recordings``), for an object with an id."""

    product: str
    id: str
    name: str


@dataclass(frozen=True)
class Payer:
    """The paying organization, and the person who requested the charge, by id and name."""

    organization_id: str
    actor_id: str
    actor_name: str


def running_charge(subject: Subject) -> ChargePeriod | None:
    return ChargePeriod.objects.filter(
        product=subject.product, subject_id=subject.id, ended_at=None
    ).first()


@transaction.atomic
def start_charge(subject: Subject, price: Price, payer: Payer) -> ChargePeriod:
    """Return the running period of ``subject``, started now unless there is one already."""
    while True:
        # Look first: a period created while another one runs could overlap the running one.
        found = running_charge(subject)
        if found is not None:
            return found
        started = ChargePeriod(
            organization_id=payer.organization_id,
            product=subject.product,
            subject_id=subject.id,
            subject_name=subject.name,
            price=price.amount,
            currency=price.currency,
            started_by_id=payer.actor_id,
            started_by_name=payer.actor_name[:300],
        )
        # The constraint decides which request is first, and makes the second one wait. The period
        # of the first request may end before the second one reads the period: try again.
        ChargePeriod.objects.bulk_create([started], ignore_conflicts=True)
        if ChargePeriod.objects.filter(pk=started.pk).exists():
            enqueue_notification(started)
            return started


@transaction.atomic
def end_charge(subject: Subject, payer: Payer) -> ChargePeriod | None:
    """End the running period of ``subject`` and return the period; None without one."""
    values = [now(), payer.actor_id, payer.actor_name[:300], subject.product, subject.id]
    found = next(iter(ChargePeriod.objects.raw(_END_CHARGE, values)), None)
    if found is not None:
        enqueue_notification(found)
    return found


def running_charges(organization_id: str) -> QuerySet[ChargePeriod]:
    """Return the running charges, by name."""
    rows = ChargePeriod.objects.filter(organization_id=organization_id, ended_at=None)
    return rows.order_by("subject_name", "id")


def price_of(charge: ChargePeriod) -> str:
    """Return the monthly price, such as ``9.00 EUR``."""
    return f"{decimal_of(charge.price, charge.currency)} {charge.currency}"


@dataclass(frozen=True)
class MonthlyCharge:
    period: ChargePeriod
    share: Share


def charges_of(month: Month, moment: datetime) -> Iterator[MonthlyCharge]:
    """Yield the periods in ``month``; a running one is charged up to the day of ``moment``."""
    begin = datetime(month.year, month.number, 1, tzinfo=UTC)
    end = begin + timedelta(days=month.days)
    today = moment.astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    rows = ChargePeriod.objects.filter(
        Q(ended_at=None) | Q(ended_at__gte=begin), started_at__lt=min(end, moment)
    )
    ordered = rows.select_related("organization").order_by(
        "organization__name", "subject_name", "started_at", "id"
    )
    for period in ordered.iterator():
        until = period.ended_at or today + timedelta(days=1)
        yield MonthlyCharge(period, share_of(month, period.price, period.started_at, until))
