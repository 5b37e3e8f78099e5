"""When credentials were last used."""

from datetime import datetime, timedelta
from typing import Final

from django.db.models import Model, Q

# Recording every call would add a write to each read; a minute is precise enough.
RECORDED_EVERY: Final = timedelta(minutes=1)


def record_use(
    kind: type[Model], row_id: str, last_used_at: datetime | None, moment: datetime
) -> None:
    """Record the use of a row in ``last_used_at``, at most once a minute."""
    if last_used_at is not None and moment - last_used_at <= RECORDED_EVERY:
        return
    # Another process may have recorded a call in the meantime.
    due = Q(last_used_at=None) | Q(last_used_at__lt=moment - RECORDED_EVERY)
    kind._default_manager.filter(due, pk=row_id).update(last_used_at=moment)  # noqa: SLF001 - Django's documented name.
