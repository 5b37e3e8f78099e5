"""The template filter for links to the Git provider."""

from django import template

from visual_review.builds.models import Build
from visual_review.web.build_facts import GitLinks, git_links_of

register = template.Library()


@register.filter
def git_links(build: Build) -> GitLinks:
    """Return the links of a build, which has its repository's account."""
    return git_links_of(build)
