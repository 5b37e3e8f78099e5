"""Dynamic regions: rectangles of a story variant whose differences are disregarded."""

from typing import Any

from visual_review.repositories.models import DynamicRegions, Product


def regions_of(product: Product) -> dict[tuple[str, str, str], list[dict[str, Any]]]:
    """The product's regions by (story id, theme, device); variants without any are left out."""
    rows = DynamicRegions.objects.filter(product=product).exclude(regions=[])
    return {(row.story_id, row.theme, row.device): row.regions for row in rows}
