"""The one place that tells the time, and writes it as the interface shows it."""

from datetime import UTC, datetime


def now() -> datetime:
    return datetime.now(UTC)


def rfc3339(moment: datetime) -> str:
    """The moment in UTC with milliseconds, as RFC 3339 has it: ``2026-03-01T12:00:00.000Z``."""
    text = moment.astimezone(UTC).isoformat(timespec="milliseconds")
    return text.replace("+00:00", "Z")
