"""Find published builds by what people and CI know of them."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from django.db.models import Q, QuerySet

from visual_review.builds.models import COMMIT_LENGTH, Build, PullRequest
from visual_review.builds.queries import builds_of
from visual_review.builds.states import PUBLISHED

# Shorter hashes are padded by git itself.
FULL_HASH = 40


@dataclass(frozen=True)
class BuildFilter:
    """What the builds have in common; ``commit`` may be the beginning of one."""

    repository_id: str | None = None
    pull_request: int | None = None
    branch: str | None = None
    commit: str | None = None


def find_builds(
    organization_id: str, wanted: BuildFilter, before: str | None, most: int
) -> list[Build]:
    """Return at most ``most`` published builds, newest first; those after the build ``before``."""
    rows = builds_of(organization_id).filter(_conditions(wanted), status__in=PUBLISHED)
    if before is not None:
        # Ids grow with time.
        rows = rows.filter(pk__lt=before)
    return list(rows.select_related("repository", "product").order_by("-pk")[:most])


def _conditions(wanted: BuildFilter) -> Q:
    found = Q()
    if wanted.repository_id is not None:
        found &= Q(repository_id=wanted.repository_id)
    if wanted.pull_request is not None:
        found &= Q(pull_request=wanted.pull_request)
    if wanted.branch is not None:
        found &= Q(branch=wanted.branch)
    if wanted.commit is not None:
        # Only whole values are found by the index.
        is_whole = FULL_HASH <= len(wanted.commit) <= COMMIT_LENGTH
        found &= Q(**{"commit" if is_whole else "commit__startswith": wanted.commit.lower()})
    return found


def pull_requests_of(builds: Sequence[Build]) -> list[PullRequest]:
    """Return the pull requests of ``builds``, each once, as far as they are known."""
    wanted = {(build.repository_id, build.pull_request) for build in builds if build.pull_request}
    if not wanted:
        return []
    rows: QuerySet[PullRequest] = PullRequest.objects.filter(
        repository_id__in={repository for repository, _ in wanted},
        number__in={number for _, number in wanted},
    )
    return _in_order(builds, [row for row in rows if (row.repository_id, row.number) in wanted])


def _in_order(builds: Sequence[Build], rows: Iterable[PullRequest]) -> list[PullRequest]:
    known = {(row.repository_id, row.number): row for row in rows}
    keys = dict.fromkeys((build.repository_id, build.pull_request) for build in builds)
    return [known[key] for key in keys if key in known]
