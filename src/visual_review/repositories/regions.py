"""Dynamic regions: rectangles of a story variant in which differences are ignored."""

from collections.abc import Iterable
from dataclasses import asdict, dataclass

from visual_review.repositories.models import DynamicRegions, Product

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


@dataclass(frozen=True)
class RegionChange:
    before: RegionList
    after: RegionList

    @property
    def changed(self) -> bool:
        return self.before != self.after


def replace_regions(
    product: Product, variant: StoryVariant, rectangles: Iterable[Rectangle]
) -> RegionChange:
    """Replace the regions of one (story id, theme, device).

    Parts outside the image are clipped; empty rectangles and duplicates are dropped.
    """
    after = _normalized(rectangles)
    story_id, theme, device = variant
    # Locking the product serializes simultaneous calls, even if there is no set to lock yet.
    Product.objects.select_for_update(no_key=True).get(pk=product.pk)
    rows = DynamicRegions.objects.filter(
        product=product, story_id=story_id, theme=theme, device=device
    )
    before = [region for row in rows for region in row.regions]
    rows.delete()
    if after:
        DynamicRegions.objects.create(
            product=product, story_id=story_id, theme=theme, device=device, regions=after
        )
    return RegionChange(before, after)


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
