"""The charges of a month, with the cost of each."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from django.db.models import Q

from visual_review.billing.amounts import Month, Share, share_of
from visual_review.billing.models import ChargePeriod


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
