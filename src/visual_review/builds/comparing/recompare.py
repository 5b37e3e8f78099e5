"""Compare undecided builds again after dynamic regions changed; rule 8."""

from visual_review.builds.job_queue import enqueue_comparison
from visual_review.builds.models import Build
from visual_review.builds.states import COMPLETED, NOT_REQUIRED, PROCESSING, UNREVIEWED
from visual_review.repositories.models import Product


def recompare_after_regions(product: Product, story_id: str, theme: str, device: str) -> int:
    """Enqueue the undecided builds of ``product`` that have the variant; return how many."""
    builds = (
        Build.objects.filter(
            product=product,
            # A build that is processing may have read the regions before they changed.
            status__in=(PROCESSING, COMPLETED),
            review_state__in=(UNREVIEWED, NOT_REQUIRED),
            screenshots__story_id=story_id,
            screenshots__theme=theme,
            screenshots__device=device,
        )
        .distinct()
        .values_list("id", flat=True)
    )
    ids = list(builds)
    for build_id in ids:
        enqueue_comparison(build_id, product.repository.organization_id)
    return len(ids)
