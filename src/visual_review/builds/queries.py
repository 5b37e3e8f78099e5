"""Queries for builds and screenshots, always within one organization; and their counts."""

from collections import Counter

from django.db.models import Count, OuterRef, QuerySet, Subquery

from visual_review.builds.models import Baseline, Build, ChangeGroup, PullRequest, Screenshot
from visual_review.builds.states import NOT_FROM_BRANCH, PUBLISHED, ReviewCounts, review_counts
from visual_review.kernel.errors import NotFoundError
from visual_review.repositories.models import Repository

BUILD_UNKNOWN = "There is no build with this id."
SCREENSHOT_UNKNOWN = "There is no screenshot with this id."
BASELINE_UNKNOWN = "There is no baseline with this id."


def published_builds(repository: Repository | str, product_key: str | None) -> QuerySet[Build]:
    """Return builds past uploading, newest first; of one product or of all.

    ``repository`` may be its ID.
    """
    rows = Build.objects.filter(repository=repository, status__in=PUBLISHED)
    if product_key is not None:
        rows = rows.filter(product__key=product_key)
    return rows.select_related("product").order_by("-number")


def with_pull_requests(rows: QuerySet[Build]) -> QuerySet[Build]:
    """Add ``pull_title`` and ``pull_state`` to the rows; null if unknown."""
    known = PullRequest.objects.filter(
        repository_id=OuterRef("repository_id"), number=OuterRef("pull_request")
    )
    return rows.annotate(
        pull_title=Subquery(known.values("title")), pull_state=Subquery(known.values("state"))
    )


def pull_request_of(build: Build) -> PullRequest | None:
    """Return the build's pull request, if known."""
    if build.pull_request is None:
        return None
    rows = PullRequest.objects.filter(repository_id=build.repository_id)
    return rows.filter(number=build.pull_request).first()


def builds_of(organization_id: str) -> QuerySet[Build]:
    """Return the builds of the organization's connected repositories."""
    return Build.objects.filter(
        repository__organization_id=organization_id, repository__removed_at=None
    )


def build_of(organization_id: str, build_id: str) -> Build:
    """Return the build; raises NotFoundError, also for another organization's."""
    row = (
        builds_of(organization_id)
        .filter(pk=build_id)
        .select_related("repository", "product", "baseline", "superseded_by")
        .first()
    )
    if row is None:
        raise NotFoundError(BUILD_UNKNOWN)
    return row


def screenshots_of(organization_id: str) -> QuerySet[Screenshot]:
    """Return the screenshots of the organization's connected repositories."""
    return Screenshot.objects.filter(
        build__repository__organization_id=organization_id,
        build__repository__removed_at=None,
    )


def screenshot_of(organization_id: str, screenshot_id: str) -> Screenshot:
    """Return the screenshot; raises NotFoundError, also for another organization's."""
    row = (
        screenshots_of(organization_id)
        .filter(pk=screenshot_id)
        .select_related(
            "build__repository", "build__product", "image", "baseline_image", "comparison"
        )
        .first()
    )
    if row is None:
        raise NotFoundError(SCREENSHOT_UNKNOWN)
    return row


def groups_of(build: Build) -> QuerySet[ChangeGroup]:
    """Return the groups of similar changes, the most severe first."""
    return ChangeGroup.objects.filter(build=build).order_by("position")


def first_groups(groups: QuerySet[ChangeGroup], most: int) -> list[ChangeGroup]:
    """Return the first groups in order, and always the group of changes not from the branch."""
    shown = list(groups[:most])
    other = groups.filter(key=NOT_FROM_BRANCH).first()
    if other is None or other in shown:
        return shown
    return [*shown[:-1], other]


def baselines_of(repository: Repository) -> QuerySet[Baseline]:
    """Return the repository's baselines with at least one version, forks' branches last."""
    return (
        Baseline.objects.filter(product__repository=repository, last_version__gte=1)
        .select_related("product")
        .order_by("product__key", "head_repository", "branch")
    )


def baseline_of(organization_id: str, baseline_id: str) -> Baseline:
    """Return the baseline; raises NotFoundError, also for another organization's."""
    row = (
        Baseline.objects.filter(
            pk=baseline_id,
            last_version__gte=1,
            product__repository__organization_id=organization_id,
            product__repository__removed_at=None,
        )
        .select_related("product__repository")
        .first()
    )
    if row is None:
        raise NotFoundError(BASELINE_UNKNOWN)
    return row


def count_screenshots(build: Build) -> ReviewCounts:
    """Return the build's current counts, without screenshots taken for detection only."""
    return review_counts(count_by_state_and_decision(build))


def count_by_state_and_decision(build: Build) -> Counter[tuple[str, str]]:
    """Return the number of screenshots by diff state and decision (empty for none)."""
    # Counted in the database, to avoid loading thousands of rows for a few numbers.
    rows = Screenshot.objects.filter(build=build, detection_only=False)
    pairs = rows.values_list("diff_state", "review_decision").annotate(Count("pk"))
    return Counter({(state, decision): count for state, decision, count in pairs})


def store_counts(build: Build, counts: ReviewCounts) -> None:
    """Set the counts on the row; the caller saves the row."""
    build.changed_count = counts.changed
    build.new_count = counts.new
    build.removed_count = counts.removed
    build.failed_count = counts.failed
    build.unchanged_count = counts.unchanged
