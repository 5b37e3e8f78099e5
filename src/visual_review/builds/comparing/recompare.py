"""Compare undecided builds again after dynamic regions or a product's setting changed; rule 8."""

from django.db.models import QuerySet

from visual_review.builds.job_queue import enqueue_comparisons
from visual_review.builds.models import Build
from visual_review.builds.states import COMPLETED, NOT_REQUIRED, PROCESSING, UNREVIEWED
from visual_review.repositories.models import Product


def recompare_after_regions(product: Product, story_id: str, theme: str, device: str) -> int:
    """Enqueue the undecided builds of ``product`` with the variant; return how many."""
    builds = _undecided_builds(product).filter(
        screenshots__story_id=story_id, screenshots__theme=theme, screenshots__device=device
    )
    return _enqueue(builds.distinct(), product)


def recompare_after_setting(product: Product) -> int:
    """Enqueue all undecided builds of ``product``; return how many."""
    return _enqueue(_undecided_builds(product), product)


def _undecided_builds(product: Product) -> QuerySet[Build]:
    return Build.objects.filter(
        product=product,
        # A build being processed may have read the regions or the setting before the change.
        status__in=(PROCESSING, COMPLETED),
        review_state__in=(UNREVIEWED, NOT_REQUIRED),
    )


def _enqueue(builds: QuerySet[Build], product: Product) -> int:
    ids = list(builds.values_list("id", flat=True))
    enqueue_comparisons(ids, product.repository.organization_id)
    return len(ids)
