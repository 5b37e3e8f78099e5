"""Reads the audit log of one organization."""

from dataclasses import dataclass

from django.db.models import QuerySet

from visual_review.audit.models import AuditEntry


@dataclass(frozen=True)
class EntryFilter:
    """``verb`` is a prefix (``screenshot.``), ``actor`` a part of the name."""

    verb: str = ""
    actor: str = ""
    channel: str = ""
    before: int | None = None


def list_entries(
    organization_id: str, entry_filter: EntryFilter, limit: int
) -> QuerySet[AuditEntry]:
    """Return the newest ``limit`` matching entries, older than the entry ``before`` if given."""
    rows = AuditEntry.objects.filter(organization_id=organization_id)
    if entry_filter.verb:
        rows = rows.filter(verb__startswith=entry_filter.verb)
    if entry_filter.actor:
        rows = rows.filter(actor_name__icontains=entry_filter.actor)
    if entry_filter.channel:
        rows = rows.filter(channel=entry_filter.channel)
    # A page starts after an entry, not at an offset: new entries would shift the rest.
    if entry_filter.before is not None:
        rows = rows.filter(pk__lt=entry_filter.before)
    return rows.order_by("-id")[:limit]
