"""Keeps charges and the payment provider in sync: notifies the provider, records its events."""

from datetime import datetime
from typing import Final

from django.conf import settings
from django.db import transaction
from django.db.models import Q, QuerySet

from visual_review.audit.log import SYSTEM, Change, Target, record
from visual_review.billing.models import ChargePeriod
from visual_review.kernel.queue import enqueue

# Queued jobs have the old name.
NOTIFY_PAYMENT_PROVIDER: Final = "tell_payments"
VERB: Final = "charge.provider_noted"


def enqueue_notification(charge: ChargePeriod) -> None:
    """Notify the provider after the commit, if one is configured and the price is not 0."""
    if settings.PAYMENTS is not None and charge.price:
        # One at a time, so an end never overtakes its start.
        lock = f"charge:{charge.id}"
        enqueue(NOTIFY_PAYMENT_PROVIDER, lock=lock, once=lock, charge_id=charge.id)


def unnotified_charges() -> QuerySet[ChargePeriod]:
    """Return the periods whose start or end the provider does not know yet."""
    start = Q(provider_item="", provider_ended_at=None)
    end = Q(ended_at__isnull=False, provider_ended_at=None)
    return ChargePeriod.objects.filter(start | end, price__gt=0)


def record_started(charge_id: str, item: str) -> None:
    ChargePeriod.objects.filter(pk=charge_id).update(provider_item=item, provider_problem="")


def record_ended(charge_id: str, moment: datetime) -> None:
    ChargePeriod.objects.filter(pk=charge_id).update(provider_ended_at=moment, provider_problem="")


def record_rejected(charge_id: str, message: str) -> None:
    ChargePeriod.objects.filter(pk=charge_id).update(provider_problem=message)


@transaction.atomic
def record_provider_event(item: str, at: datetime, problem: str, *, ended: bool = False) -> bool:
    """Record the provider's event of a running period; False if unknown, ended or old.

    Events may arrive twice and in any order: only an event newer than the last one counts. An
    item with ``ended`` at the provider stays ended, whichever invoice is paid later.
    """
    rows = ChargePeriod.objects.select_for_update().filter(provider_item=item)
    # The end of a period ended by ourselves needs no record.
    charge = rows.filter(ended_at=None, provider_ended_at=None).first()
    if charge is None:
        return False
        # The last invoice fails in the same second in which the provider gives up.
    if charge.provider_noted_at and at <= charge.provider_noted_at and not ended:
        return False
    before = charge.provider_problem
    charge.provider_problem, charge.provider_noted_at = problem, at
    charge.provider_ended_at = at if ended else None
    charge.save(update_fields=["provider_problem", "provider_noted_at", "provider_ended_at"])
    if problem != before:
        target = Target("charge", charge.id, charge.subject_name)
        change = Change(VERB, target, {"problem": before}, {"problem": problem})
        record(charge.organization_id, SYSTEM, change)
    return True
