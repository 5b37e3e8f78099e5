"""Reading the audit log of one organization."""

from dataclasses import dataclass

from django.db.models import QuerySet

from visual_review.audit.models import AuditEntry


@dataclass(frozen=True)
class Wanted:
    """``verb`` is a beginning (``screenshot.``), ``actor`` a part of the name."""

    verb: str = ""
    actor: str = ""
    channel: str = ""
    before: int | None = None


def entries(organization_id: str, wanted: Wanted, limit: int) -> QuerySet[AuditEntry]:
    """The newest ``limit`` entries that match, older than the entry ``before`` when given."""
    rows = AuditEntry.objects.filter(organization_id=organization_id)
    if wanted.verb:
        rows = rows.filter(verb__startswith=wanted.verb)
    if wanted.actor:
        rows = rows.filter(actor_name__icontains=wanted.actor)
    if wanted.channel:
        rows = rows.filter(channel=wanted.channel)
    # A page begins below an entry, not at a count: entries written meanwhile would shift the rest.
    if wanted.before is not None:
        rows = rows.filter(pk__lt=wanted.before)
    return rows.order_by("-id")[:limit]
