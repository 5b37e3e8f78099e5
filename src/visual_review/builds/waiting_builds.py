"""Builds that wait for a review in an organization."""

from django.db.models import Exists, OuterRef, QuerySet

from visual_review.builds.models import Build, PullRequest
from visual_review.builds.states import COMPLETED, UNREVIEWED


def builds_to_review(organization_id: str) -> QuerySet[Build]:
    """Return the builds that a person may decide now, the oldest first.

    Those that a newer build supersedes are left out, and those of pull requests that are closed or
    merged.
    """
    ended = PullRequest.objects.filter(
        repository_id=OuterRef("repository_id"), number=OuterRef("pull_request")
    ).exclude(state="open")
    return (
        Build.objects.filter(
            repository__organization_id=organization_id,
            repository__removed_at=None,
            status=COMPLETED,
            review_state=UNREVIEWED,
            superseded_by=None,
        )
        .exclude(Exists(ended))
        .select_related("repository")
        .order_by("created_at", "id")
    )


def next_build_to_review(rows: QuerySet[Build], after: Build | None) -> Build | None:
    """Return the first of ``rows`` that is newer than ``after``, else the first of all.

    So a person who leaves a build undecided comes to each other one before it comes again.
    """
    if after is None:
        return rows.first()
    return rows.filter(created_at__gt=after.created_at).first() or rows.first()
