"""Row locks that order decisions: the baseline's row first, then the build. Rule 5."""

from visual_review.builds.models import Baseline, Build
from visual_review.builds.queries import BUILD_UNKNOWN
from visual_review.kernel.errors import NotFoundError


def lock_build(build_id: str) -> tuple[Baseline, Build]:
    """Lock and return the baseline of the build's branch, and the build.

    Always in this order, so that two reviewers cannot deadlock. Raises NotFoundError for a build
    that was deleted with its repository.
    """
    # The branch is read from the build without a lock: it never changes.
    found = Build.objects.filter(pk=build_id).first()
    if found is None:
        raise NotFoundError(BUILD_UNKNOWN)
    baseline = _lock_baseline_of(found)
    rows = Build.objects.select_for_update(of=("self",)).select_related("repository")
    locked = rows.filter(pk=build_id).first()
    if locked is None:
        raise NotFoundError(BUILD_UNKNOWN)
    return baseline, locked


def _lock_baseline_of(build: Build) -> Baseline:
    key = {
        "product_id": build.product_id,
        "head_repository": build.head_repository,
        "branch": build.branch,
    }
    # The row exists before the first version, so that first approvals can lock it, too.
    Baseline.objects.bulk_create([Baseline(**key)], ignore_conflicts=True)
    # Builds and the review log, also of other branches, refer to the row; writing those must
    # not wait for its lock.
    return Baseline.objects.select_for_update(no_key=True).get(**key)
