"""Starting and ending a charge: at most one is open for a subject, whoever else tries."""

from dataclasses import dataclass

from django.db import transaction

from visual_review.billing.models import ChargePeriod
from visual_review.billing.prices import Price
from visual_review.billing.provider_sync import enqueue_notification
from visual_review.kernel.clock import now


@dataclass(frozen=True)
class Subject:
    """What is charged for: a product of ours (``recordings``) for a thing with an id."""

    product: str
    id: str
    name: str


@dataclass(frozen=True)
class Payer:
    """The organization that pays, and who asked, by id and name."""

    organization_id: str
    actor_id: str
    actor_name: str


def open_charge(subject: Subject) -> ChargePeriod | None:
    return ChargePeriod.objects.filter(
        product=subject.product, subject_id=subject.id, ended_at=None
    ).first()


@transaction.atomic
def start_charge(subject: Subject, price: Price, payer: Payer) -> ChargePeriod:
    """The open period of ``subject``, begun now unless there was one already."""
    while True:
        found = open_charge(subject)
        if found is not None:
            return found
        begun = ChargePeriod(
            organization_id=payer.organization_id,
            product=subject.product,
            subject_id=subject.id,
            subject_name=subject.name,
            price=price.amount,
            currency=price.currency,
            started_by_id=payer.actor_id,
            started_by_name=payer.actor_name[:300],
        )
        # The constraint decides who was first, and makes the other wait for that; what the first
        # began may have ended again before it is looked at, hence the loop.
        ChargePeriod.objects.bulk_create([begun], ignore_conflicts=True)
        if ChargePeriod.objects.filter(pk=begun.pk).exists():
            enqueue_notification(begun)
            return begun


@transaction.atomic
def end_charge(subject: Subject, payer: Payer) -> ChargePeriod | None:
    """The period of ``subject`` that was open, ended now; None when none was."""
    found = (
        ChargePeriod.objects.select_for_update()
        .filter(product=subject.product, subject_id=subject.id, ended_at=None)
        .first()
    )
    if found is None:
        return None
    found.ended_at = now()
    found.ended_by_id = payer.actor_id
    found.ended_by_name = payer.actor_name[:300]
    found.save(update_fields=["ended_at", "ended_by_id", "ended_by_name"])
    enqueue_notification(found)
    return found
