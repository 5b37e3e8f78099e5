"""Asks the owners of changed stories for a review, outside of the build's comparison."""

from django.db import transaction
from procrastinate import RetryStrategy
from procrastinate.contrib.django import app

from visual_review.builds.models import Build
from visual_review.builds.notifying.owners import REQUEST_OWNERS, request_owners

RETRY = RetryStrategy(max_attempts=5, exponential_wait=3)


@app.task(name=REQUEST_OWNERS, queue="messages", retry=RETRY)
def request_owners_of_build(build_id: str, organization_id: str) -> None:
    """Ask the owners, unless the build was deleted."""
    rows = Build.objects.select_related("repository", "product")
    build = rows.filter(pk=build_id, repository__organization=organization_id).first()
    if build is not None:
        with transaction.atomic():
            request_owners(build)
