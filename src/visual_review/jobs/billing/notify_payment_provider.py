"""Notifies the payment provider about the start or end of a charge.

The job may be interrupted at any point and run again.
"""

import logging

from procrastinate import RetryStrategy
from procrastinate.contrib.django import app
from procrastinate.contrib.django.models import ProcrastinateJob

from visual_review.billing.models import ChargePeriod
from visual_review.billing.provider_sync import (
    NOTIFY_PAYMENT_PROVIDER,
    enqueue_notification,
    record_ended,
    record_rejected,
    record_started,
    unnotified_charges,
)
from visual_review.kernel.clock import now
from visual_review.payments.factory import open_payments
from visual_review.payments.port import (
    Charge,
    Payments,
    PaymentsRejectedError,
    PaymentsUnavailableError,
)

# Doubling pauses, about 17 minutes in all; later, the sweep below retries.
RETRY = RetryStrategy(
    max_attempts=10, exponential_wait=2, retry_exceptions=[PaymentsUnavailableError]
)

logger = logging.getLogger(__name__)


@app.task(name=NOTIFY_PAYMENT_PROVIDER, queue="upkeep", retry=RETRY)
def notify_payment_provider(charge_id: str) -> None:
    with open_payments() as payments:
        charge = ChargePeriod.objects.filter(pk=charge_id, price__gt=0).first()
        if payments is None or charge is None:
            return
        try:
            _sync_charge(charge, payments)
        except PaymentsRejectedError as error:
            # A retry now would be rejected again; the page shows the rejection, and the sweep
            # retries later.
            record_rejected(charge_id, str(error))
            logger.warning("charge %s was rejected: %s", charge_id, error)


def _sync_charge(charge: ChargePeriod, payments: Payments) -> None:
    item = charge.provider_item
    if not item and charge.ended_at is not None:
        # The charge ended before the provider was notified: only an item of an earlier attempt must
        # end.
        item = payments.find_item(charge.id) or ""
    elif not item:
        item = payments.start_item(_to_charge(charge))
        record_started(charge.id, item)
    if charge.ended_at is not None and charge.provider_ended_at is None:
        if item:
            payments.end_item(item, charge.id)
        record_ended(charge.id, now())


def _to_charge(charge: ChargePeriod) -> Charge:
    return Charge(
        id=charge.id,
        name=f"{charge.product.capitalize()} for {charge.subject_name}",
        organization_id=charge.organization_id,
        price=charge.price,
        currency=charge.currency,
    )


def notify_missed_charges() -> int:
    """Enqueue every period still unknown to the provider; return how many."""
    waiting = list(unnotified_charges())
    jobs = ProcrastinateJob.objects.filter(
        task_name=NOTIFY_PAYMENT_PROVIDER, status__in=("todo", "doing")
    )
    queued_ids = set(jobs.values_list("args__charge_id", flat=True))
    lost = [charge for charge in waiting if charge.id not in queued_ids]
    for charge in lost:
        enqueue_notification(charge)
    return len(lost)


@app.periodic(cron="35 * * * *")
# Queued jobs have the old name.
@app.task(name="tell_untold_charges", queue="upkeep", queueing_lock="tell_untold_charges")
def notify_missed_hourly(timestamp: int) -> None:  # noqa: ARG001 - Periodic jobs get a timestamp.
    notify_missed_charges()
