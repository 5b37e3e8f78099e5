"""The current time, and the format of times in JSON."""

from datetime import UTC, datetime


def now() -> datetime:
    return datetime.now(UTC)


def rfc3339(moment: datetime) -> str:
    """Format a time as RFC 3339, in UTC with milliseconds: ``2026-03-01T12:00:00.000Z``."""
    text = moment.astimezone(UTC).isoformat(timespec="milliseconds")
    return text.replace("+00:00", "Z")
