"""What the page of a source host shows of its webhook."""

from dataclasses import dataclass
from datetime import datetime

from visual_review.repositories.models import HostAccount, WebhookDelivery

SHOWN = 20
KINDS = {
    "ping": "Test delivery",
    "pull_request": "Pull request",
    "branch_deleted": "Branch deleted",
    "repository_renamed": "Repository renamed",
    "repository_transferred": "Repository transferred",
    "repository_removed": "Repository removed",
}


@dataclass(frozen=True)
class Delivery:
    """``outcome`` is empty until a job has handled it."""

    id: str
    title: str
    received_at: datetime
    outcome: str


def newest_deliveries(account: HostAccount) -> list[Delivery]:
    """What came last, the newest first; nothing when no webhook is set up, or none works."""
    rows = WebhookDelivery.objects.filter(account=account).order_by("-received_at", "-id")
    return [
        Delivery(row.delivery_id, KINDS.get(row.kind, row.kind), row.received_at, row.outcome)
        for row in rows[:SHOWN]
    ]
