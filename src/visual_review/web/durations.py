"""Formats durations and times of videos; pure."""

MINUTE = 60
HOUR = 60 * MINUTE


def format_duration(milliseconds: int | None) -> str:
    """Return ``0:07``, ``12:34`` or ``1:02:03``; empty for None."""
    if milliseconds is None:
        return ""
    seconds = milliseconds // 1000
    hours, minutes, rest = seconds // HOUR, seconds % HOUR // MINUTE, seconds % MINUTE
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def format_seconds(milliseconds: int) -> str:
    """Return seconds as in media fragments and attributes: ``12.3``."""
    return f"{milliseconds / 1000:.3f}".rstrip("0").rstrip(".")


def format_time(milliseconds: int) -> str:
    """Return a time in a video, to a tenth of a second: ``0:07.3``."""
    return f"{format_duration(milliseconds)}.{milliseconds % 1000 // 100}"
