"""The current time, and the format of times in JSON."""

from datetime import UTC, datetime
from functools import lru_cache


def now() -> datetime:
    return datetime.now(UTC)


# Lists show the same times again and again, and formatting times is most of the work of a short
# list.
@lru_cache(4096)
def rfc3339(moment: datetime) -> str:
    """Format a time as RFC 3339, in UTC with milliseconds: ``2026-03-01T12:00:00.000Z``."""
    text = moment.astimezone(UTC).isoformat(timespec="milliseconds")
    return text.replace("+00:00", "Z")
