"""Deliveries of source hosts: taken once each, handled by a job, forgotten after a month."""

from datetime import timedelta
from typing import Any

from django.db import IntegrityError, transaction

from visual_review.kernel.clock import now
from visual_review.kernel.queue import enqueue
from visual_review.repositories.models import HostAccount, Repository, WebhookDelivery

HANDLE_DELIVERY = "handle_delivery"
PING = "ping"
ACCOUNT_REMOVED = "account_removed"
ARRIVED = "The webhook works."
# Hosts let a delivery be sent again for some days; hereafter the order of news protects alone.
KEEP = timedelta(days=30)


def repository_of_event(account: HostAccount, host_id: str, full_name: str) -> Repository | None:
    """The connected repository of an event; by the host's own id where it is known."""
    rows = Repository.objects.filter(host_account=account, removed_at=None)
    by_id = rows.filter(host_id=host_id).first() if host_id else None
    return by_id or rows.filter(host_id="", full_name__iexact=full_name).first()


@transaction.atomic
def receive(
    account: HostAccount, delivery_id: str, digest: str, event: dict[str, Any], lock: str
) -> bool:
    """Keep a delivery and have it handled; False when it came before, by its id or its bytes.

    ``digest`` is the SHA-256 of its body: not every host signs the id along. Jobs of one
    ``lock`` run one after the other.
    """
    row = WebhookDelivery(
        account=account,
        delivery_id=delivery_id,
        digest=digest,
        kind=event["kind"],
        event=event,
    )
    try:
        with transaction.atomic():
            row.save(force_insert=True)
    except IntegrityError:
        # The constraints decide, since two of one id may come at the same moment.
        return False
    if row.kind == PING:
        end(row, ARRIVED)
    else:
        enqueue(HANDLE_DELIVERY, lock=lock, delivery_id=row.pk)
    return True


def end(delivery: WebhookDelivery, outcome: str) -> None:
    """Note what a delivery led to; what it told is not needed any more."""
    WebhookDelivery.objects.filter(pk=delivery.pk, handled_at=None).update(
        handled_at=now(), outcome=outcome, event={}
    )


def forget_old_deliveries() -> int:
    """Delete what came a month ago; answers how many."""
    old = WebhookDelivery.objects.filter(received_at__lt=now() - KEEP)
    return old.delete()[0]
