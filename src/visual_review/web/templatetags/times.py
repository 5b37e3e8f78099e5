"""The template filter for how long ago something happened, or in how long it will."""

from datetime import datetime, timedelta

from django import template

from visual_review.kernel.clock import now

register = template.Library()
# Farther away, a date says more.
LONGEST = timedelta(days=30)
_UNITS = (("day", 86_400), ("hour", 3600), ("minute", 60))


@register.filter
def relative(moment: datetime | None) -> str:
    """Return for example "3 hours ago", empty for no moment; the script of pages writes the same words."""
    if moment is None:
        return ""
    seconds = (now() - moment).total_seconds()
    if abs(seconds) > LONGEST.total_seconds():
        return f"{moment:%d %b %Y}"
    for unit, length in _UNITS:
        if (count := int(abs(seconds) // length)) > 0:
            text = f"{count} {unit}{'s' if count > 1 else ''}"
            return f"{text} ago" if seconds > 0 else f"in {text}"
    return "just now"
