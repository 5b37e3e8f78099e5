"""Search over repositories, builds and stories of an organization."""

from collections.abc import Sequence
from typing import Final, NamedTuple

from django.db.models import F, Q, QuerySet

from visual_review.builds.build_query import matches_text
from visual_review.builds.models import BaselineEntry, Build
from visual_review.builds.queries import builds_of, with_pull_requests
from visual_review.builds.states import PUBLISHED
from visual_review.repositories.models import Repository
from visual_review.repositories.queries import repositories_of

MOST_FOUND: Final = 8


class FoundStory(NamedTuple):
    """A story in the baseline of a default branch."""

    repository_id: str
    repository: str
    product: str
    story_id: str
    title: str


def search_repositories(organization_id: str, text: str) -> QuerySet[Repository]:
    return repositories_of(organization_id).filter(full_name__icontains=text)[:MOST_FOUND]


def search_builds(organization_id: str, text: str) -> QuerySet[Build]:
    """Return the newest builds with all parts of ``text`` in number, commit, branch or title."""
    rows = builds_of(organization_id).filter(status__in=PUBLISHED)
    for part in text.split():
        rows = rows.filter(matches_text(part))
    return with_pull_requests(rows.select_related("repository").order_by("-pk"))[:MOST_FOUND]


def search_stories(organization_id: str, text: str) -> Sequence[FoundStory]:
    """Return the stories of default branches with all parts of ``text``, each once."""
    rows = BaselineEntry.objects.filter(
        to_version=None,
        baseline__product__repository__organization_id=organization_id,
        baseline__product__repository__removed_at=None,
        baseline__head_repository="",
        baseline__branch=F("baseline__product__repository__default_branch"),
    )
    for part in text.split():
        rows = rows.filter(Q(title__icontains=part) | Q(story_id__icontains=part))
    repository = "baseline__product__repository"
    columns = (
        repository,
        f"{repository}__full_name",
        "baseline__product__key",
        "story_id",
        "title",
    )
    found = rows.values_list(*columns).distinct().order_by("title", "story_id", repository)
    return [FoundStory(*row) for row in found[:MOST_FOUND]]
