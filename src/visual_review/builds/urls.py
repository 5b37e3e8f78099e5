"""URLs of the pages of builds."""

from django.conf import settings

from visual_review.builds.models import Build
from visual_review.builds.read_models import BuildRow


def build_page(build: Build | BuildRow) -> str:
    return build_url(build.id)


def build_url(build_id: str) -> str:
    return f"{settings.PUBLIC_URL}/builds/{build_id}"
