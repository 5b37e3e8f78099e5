"""When keys and connected apps were last used, recorded without a caller waiting for it."""

from datetime import datetime, timedelta

from django.db.models import Q

from visual_review.accounts.models import ApiKey, Grant
from visual_review.kernel.background_writes import BackgroundWrites

# Recording every call would add a write to each read; a minute is precise enough.
RECORDED_EVERY = timedelta(minutes=1)
WRITES = BackgroundWrites("last-use")


def record_use(
    kind: type[ApiKey] | type[Grant], row_id: str, last_used_at: datetime | None, moment: datetime
) -> None:
    """Record that a row was used at ``moment``, if it has not been recorded for a minute."""
    if last_used_at is None or moment - last_used_at > RECORDED_EVERY:
        WRITES.submit((kind.__name__, row_id), lambda: _store_use(kind, row_id, moment))


def _store_use(kind: type[ApiKey] | type[Grant], row_id: str, moment: datetime) -> None:
    # Another process may have recorded a call in the meantime.
    due = Q(last_used_at=None) | Q(last_used_at__lt=moment - RECORDED_EVERY)
    kind.objects.filter(due, pk=row_id).update(last_used_at=moment)
