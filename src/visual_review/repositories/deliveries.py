"""Webhook deliveries of Git providers: each stored once, handled by a job, deleted later."""

from datetime import timedelta
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import QuerySet, Value
from django.db.models.functions import Lower

from visual_review.kernel.clock import now
from visual_review.kernel.queue import enqueue
from visual_review.repositories.models import HostAccount, Repository, WebhookDelivery
from visual_review.repositories.names import is_same_name

HANDLE_DELIVERY = "handle_delivery"
PING = "ping"
ACCOUNT_REMOVED = "account_removed"
WEBHOOK_WORKS = "The webhook works."
# Providers allow redelivery for some days; later, the order of events is the only protection.
KEEP = timedelta(days=30)


def repository_of_event(account: HostAccount, host_id: str, full_name: str) -> Repository | None:
    """Return the connected repository of an event; by the host's id if the id is known."""
    rows = Repository.objects.filter(host_account=account, removed_at=None)
    by_id = rows.filter(host_id=host_id).first() if host_id else None
    return by_id or _find_named(rows.filter(host_id=""), full_name)


def _find_named(rows: QuerySet[Repository], full_name: str) -> Repository | None:
    # The database's lower case finds no more than one, but folds more than the case of a-z.
    same = rows.annotate(lower_name=Lower("full_name")).filter(lower_name=Lower(Value(full_name)))
    return next((row for row in same if is_same_name(row.full_name, full_name)), None)


@transaction.atomic
def store_delivery(
    account: HostAccount, delivery_id: str, digest: str, event: dict[str, Any], lock: str
) -> bool:
    """Store a delivery and queue its handling; False if its id or body was stored before.

    ``digest`` is the SHA-256 of its body, because not every host includes the id in the signature.
    Jobs with the same ``lock`` run one after the other.
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
        # The constraints decide, because two with the same id may arrive simultaneously.
        return False
    if row.kind == PING:
        finish_delivery(row, WEBHOOK_WORKS)
    else:
        organization_id = account.organization_id
        enqueue(HANDLE_DELIVERY, lock=lock, delivery_id=row.pk, organization_id=organization_id)
    return True


def finish_delivery(delivery: WebhookDelivery, outcome: str) -> None:
    """Store the outcome of a delivery and delete its event, which is no longer needed."""
    WebhookDelivery.objects.filter(pk=delivery.pk, handled_at=None).update(
        handled_at=now(), outcome=outcome, event={}
    )


def delete_expired_deliveries() -> int:
    """Delete deliveries older than ``KEEP``; returns how many."""
    old = WebhookDelivery.objects.filter(received_at__lt=now() - KEEP)
    return old.delete()[0]
