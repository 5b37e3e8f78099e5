"""Reads the audit log of one organization, and writes its entries as JSON."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from django.db.models import QuerySet

from visual_review.audit.models import AuditEntry
from visual_review.kernel.clock import rfc3339

# Entries in one response of an export.
MOST_EXPORTED: Final = 10_000
COLUMNS: Final = (
    "id",
    "at",
    "actorKind",
    "actorId",
    "actorName",
    "channel",
    "client",
    "clientId",
    "credentialId",
    "verb",
    "targetKind",
    "targetId",
    "targetName",
    "before",
    "after",
)


@dataclass(frozen=True)
class EntryFilter:
    """``verb`` is a prefix (``screenshot.``), ``actor`` a part of the name.

    Entries at ``since`` are included, entries at ``until`` are not.
    """

    verb: str = ""
    actor: str = ""
    channel: str = ""
    since: datetime | None = None
    until: datetime | None = None


def find_entries(organization_id: str, wanted: EntryFilter) -> QuerySet[AuditEntry]:
    rows = AuditEntry.objects.filter(organization_id=organization_id)
    conditions = {
        "verb__startswith": wanted.verb,
        "actor_name__icontains": wanted.actor,
        "channel": wanted.channel,
        "at__gte": wanted.since,
        "at__lt": wanted.until,
    }
    return rows.filter(**{name: value for name, value in conditions.items() if value})


def entry_as_json(entry: AuditEntry) -> dict[str, Any]:
    """Return the entry under the names of ``COLUMNS``."""
    values = (
        entry.pk,
        rfc3339(entry.at),
        entry.actor_kind,
        entry.actor_id,
        entry.actor_name,
        entry.channel,
        entry.client,
        entry.client_id,
        entry.credential_id,
        entry.verb,
        entry.target_kind,
        entry.target_id,
        entry.target_name,
        entry.before,
        entry.after,
    )
    return dict(zip(COLUMNS, values, strict=True))


def delete_entries_before(organization_id: str, moment: datetime, most: int) -> int:
    """Delete up to ``most`` entries older than ``moment``, and return their number."""
    old = AuditEntry.objects.filter(organization_id=organization_id, at__lt=moment)
    oldest = old.order_by("id").values("pk")[:most]
    return AuditEntry.objects.filter(pk__in=oldest).delete()[0]
