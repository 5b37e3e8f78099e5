"""How long something lasts, as players write it; pure."""

MINUTE = 60
HOUR = 60 * MINUTE


def clock(milliseconds: int | None) -> str:
    """``0:07``, ``12:34`` or ``1:02:03``; empty for None."""
    if milliseconds is None:
        return ""
    seconds = milliseconds // 1000
    hours, minutes, rest = seconds // HOUR, seconds % HOUR // MINUTE, seconds % MINUTE
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def seconds_of(milliseconds: int) -> str:
    """As media fragments and attributes have it: ``12.3``."""
    return f"{milliseconds / 1000:.3f}".rstrip("0").rstrip(".")


def moment(milliseconds: int) -> str:
    """A place in a video, to a tenth of a second: ``0:07.3``."""
    return f"{clock(milliseconds)}.{milliseconds % 1000 // 100}"
