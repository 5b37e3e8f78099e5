"""Where people look at builds."""

from django.conf import settings

from visual_review.builds.models import Build


def build_page(build: Build) -> str:
    return f"{settings.PUBLIC_URL}/builds/{build.id}"
