"""Row locks for the order of decisions: the baseline's row first, then the build. Rule 5."""

from typing import Final, TypeVar

from django.db.models import Model, QuerySet

from visual_review.builds.models import Baseline, Build
from visual_review.builds.queries import (
    BUILD_UNKNOWN,
    builds_of,
)
from visual_review.kernel.errors import NotFoundError

RowT = TypeVar("RowT", bound=Model)
# PostgreSQL locks in this order, so that two reviewers cannot deadlock.
BUILD_LOCKS: Final = ("own_baseline", "self")


def lock_build(build_id: str) -> tuple[Baseline, Build]:
    """Lock and return the baseline of the build's branch, and the build, always in this order.

    Raises NotFoundError for a build deleted with its repository.
    """
    return _lock_one_build(Build.objects.filter(pk=build_id))


def lock_build_of(organization_id: str, build_id: str) -> tuple[Baseline, Build]:
    """Lock both for a caller; raises NotFoundError, also for another organization's build."""
    return _lock_one_build(builds_of(organization_id).filter(pk=build_id))


def _lock_one_build(rows: QuerySet[Build]) -> tuple[Baseline, Build]:
    """Lock the only row of ``rows`` and its baseline, in one statement.

    A row that changed during the wait for a lock is returned in its new state. Other rows, such as
    the review log of other branches, refer to the locked rows, and writing such references must not
    wait.
    """
    joined = rows.select_related("own_baseline", "repository", "product")
    locked = joined.select_for_update(of=BUILD_LOCKS, no_key=True)
    found = next(iter(locked), None)
    if found is None and _create_baselines(rows):
        found = next(iter(locked.all()), None)
    if found is None:
        raise NotFoundError(BUILD_UNKNOWN)
    return found.own_baseline, found


def _create_baselines(builds: QuerySet[Build]) -> bool:
    """Create the missing row of the branch, so that first approvals can lock the row, too."""
    # The branch is read without a lock: a build's branch never changes.
    missing = [
        Baseline(product_id=product, head_repository=head, branch=branch)
        for product, head, branch in builds.values_list("product", "head_repository", "branch")
    ]
    Baseline.objects.bulk_create(missing, ignore_conflicts=True)
    return bool(missing)
