"""The webhook deliveries shown on the page of a Git provider."""

from dataclasses import dataclass
from datetime import datetime

from visual_review.repositories.models import HostAccount, WebhookDelivery

DELIVERIES_SHOWN = 20
EVENT_TITLES = {
    "ping": "Test delivery",
    "pull_request": "Pull request",
    "branch_deleted": "Branch deleted",
    "repository_renamed": "Repository renamed",
    "repository_transferred": "Repository transferred",
    "repository_removed": "Repository removed",
}


@dataclass(frozen=True)
class Delivery:
    """One webhook delivery; ``outcome`` is empty until a job has processed it."""

    id: str
    title: str
    received_at: datetime
    outcome: str


def list_recent_deliveries(account: HostAccount) -> list[Delivery]:
    """Return the latest deliveries, newest first; empty if no webhook is set up or none arrives."""
    rows = WebhookDelivery.objects.filter(account=account).order_by("-received_at", "-id")
    return [
        Delivery(
            row.delivery_id, EVENT_TITLES.get(row.kind, row.kind), row.received_at, row.outcome
        )
        for row in rows[:DELIVERIES_SHOWN]
    ]
