"""The repositories of an organization, with the activity in each."""

from collections.abc import Iterable, Mapping
from typing import Final

from django.db.models import BigIntegerField, Count, F, OuterRef, QuerySet, Subquery
from django.db.models.functions import Coalesce

from visual_review.builds.models import Build
from visual_review.builds.queries import with_pull_requests
from visual_review.builds.states import PUBLISHED
from visual_review.builds.waiting_builds import only_to_review
from visual_review.repositories.models import Repository, StorageUse
from visual_review.repositories.queries import repositories_of

# The possible orders of the list; names are unique among connected repositories.
ORDERS: Final[Mapping[str, tuple[str, ...]]] = {
    "name": ("full_name", "id"),
    "waiting": ("-waiting", "full_name", "id"),
    "newest": ("-last_built_at", "id"),
    "storage": ("-stored_bytes", "full_name", "id"),
}


def find_repositories(organization_id: str, text: str) -> QuerySet[Repository]:
    """Return the repositories with ``text`` in their names, with the columns of a list.

    ``waiting`` builds need a review, ``last_built_at`` is the creation of the newest build (without
    builds, of the connection), ``stored_bytes`` is the last measurement, and ``default_build_id``
    is the newest build of the default branch, or null.
    """
    builds = Build.objects.filter(repository=OuterRef("pk"), status__in=PUBLISHED)
    waiting = only_to_review(Build.objects.filter(repository=OuterRef("pk"))).order_by()
    of_default = builds.filter(head_repository="", branch=OuterRef("default_branch"))
    uses = StorageUse.objects.filter(repository=OuterRef("pk")).order_by("-measured_at")
    stored = F("images_bytes") + F("pictures_bytes") + F("recordings_bytes")
    count = waiting.values("repository").annotate(count=Count("pk")).values("count")
    newest = builds.order_by("-number").values("created_at")[:1]
    total = uses.values(total=stored)[:1]
    return (
        repositories_of(organization_id)
        .filter(full_name__icontains=text)
        .annotate(
            waiting=Coalesce(Subquery(count), 0),
            last_built_at=Coalesce(Subquery(newest), "created_at"),
            stored_bytes=Coalesce(Subquery(total), 0, output_field=BigIntegerField()),
            default_build_id=Subquery(of_default.order_by("-number").values("pk")[:1]),
        )
    )


def default_builds_of(repositories: Iterable[Repository]) -> dict[str, Build]:
    """Return the newest build of each repository's default branch, by the repository's id."""
    ids = [vars(each)["default_build_id"] for each in repositories]
    rows = with_pull_requests(Build.objects.filter(pk__in=filter(None, ids)))
    return {build.repository_id: build for build in rows}
