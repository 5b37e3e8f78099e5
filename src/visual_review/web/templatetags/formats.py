"""Template filters: when something happened, and the links of a build to the Git provider."""

from datetime import datetime, timedelta

from django import template

from visual_review.builds.models import Build
from visual_review.kernel.clock import now
from visual_review.web.build_facts import GitLinks, git_links_of

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


@register.filter
def git_links(build: Build) -> GitLinks:
    """Return the links of a build, loaded with its repository's account."""
    return git_links_of(build)
