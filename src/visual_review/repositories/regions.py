"""Dynamic regions: rectangles of a story variant where differences are ignored."""

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Final

from visual_review.kernel.clock import now
from visual_review.repositories.models import DynamicRegions, Product

# Both statements return the row as it was before.
_REPLACE: Final = """
WITH former AS (
    SELECT id, regions FROM repositories_dynamicregions
    WHERE product_id = %s AND story_id = %s AND theme = %s AND device = %s
), written AS (
    INSERT INTO repositories_dynamicregions (
        product_id, story_id, theme, device, regions, updated_at, updated_by
    )
    VALUES (%s, %s, %s, %s, %s::jsonb, %s, %s)
    ON CONFLICT (product_id, story_id, theme, device)
        DO UPDATE SET regions = excluded.regions, updated_at = excluded.updated_at,
            updated_by = excluded.updated_by
        -- The same regions again change nothing.
        WHERE repositories_dynamicregions.regions <> excluded.regions
)
SELECT id, regions FROM former
"""
_DELETE: Final = """
DELETE FROM repositories_dynamicregions
WHERE product_id = %s AND story_id = %s AND theme = %s AND device = %s
RETURNING id, regions
"""
# Sums of fractions such as 0.9 and 0.1 are not exact.
_ROUNDING: Final = 1e-9
# A story in one theme on one device.
StoryVariant = tuple[str, str, str]
RegionList = list[dict[str, float]]


@dataclass(frozen=True)
class Rectangle:
    """Fractions of the image, 0..1, from its top left corner."""

    x: float
    y: float
    width: float
    height: float

    def clipped(self) -> "Rectangle":
        """Return the part inside the image."""
        return Rectangle(self.x, self.y, min(self.width, 1 - self.x), min(self.height, 1 - self.y))

    @property
    def is_empty(self) -> bool:
        return self.width <= 0 or self.height <= 0

    @property
    def reaches_beyond(self) -> bool:
        """Whether a significant part is outside the image."""
        return max(self.x + self.width, self.y + self.height) > 1 + _ROUNDING


@dataclass(frozen=True)
class RegionChange:
    before: RegionList
    after: RegionList

    @property
    def changed(self) -> bool:
        return self.before != self.after


def has_area(rectangles: Iterable[Rectangle]) -> bool:
    """Return whether any rectangle has an area inside the image."""
    return any(not rectangle.clipped().is_empty for rectangle in rectangles)


def replace_regions(
    product: Product, variant: StoryVariant, rectangles: Iterable[Rectangle], by: str
) -> RegionChange:
    """Replace the regions of one (story id, theme, device); ``by`` is the name of who does.

    Parts outside the image are clipped; empty rectangles and duplicates are dropped. The product
    must be locked, which serializes simultaneous calls even before a set exists.
    """
    after = _normalized(rectangles)
    key = [product.pk, *variant]
    if after:
        rows = DynamicRegions.objects.raw(_REPLACE, [*key, *key, json.dumps(after), now(), by])
    else:
        rows = DynamicRegions.objects.raw(_DELETE, key)
    return RegionChange([region for row in rows for region in row.regions], after)


def regions_of(product: Product) -> dict[StoryVariant, RegionList]:
    """Return all regions of the product by (story id, theme, device)."""
    rows = DynamicRegions.objects.filter(product=product)
    return {(row.story_id, row.theme, row.device): list(row.regions) for row in rows}


def _normalized(rectangles: Iterable[Rectangle]) -> RegionList:
    # A dict, because unlike a set it keeps the given order.
    kept: dict[Rectangle, None] = {}
    for rectangle in rectangles:
        clipped = rectangle.clipped()
        if not clipped.is_empty:
            kept[clipped] = None
    return [asdict(rectangle) for rectangle in kept]
