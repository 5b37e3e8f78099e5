"""Dynamic regions: rectangles of a story variant whose differences do not count. Rule 8."""

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
        """The part inside the image."""
        return Rectangle(self.x, self.y, min(self.width, 1 - self.x), min(self.height, 1 - self.y))

    @property
    def is_empty(self) -> bool:
        return self.width <= 0 or self.height <= 0


@dataclass(frozen=True)
class Replaced:
    before: RegionList
    after: RegionList

    @property
    def changed(self) -> bool:
        return self.before != self.after


def replace_regions(
    product: Product, variant: StoryVariant, rectangles: Iterable[Rectangle]
) -> Replaced:
    """Store the set of one (story id, theme, device) in place of the one before.

    What lies outside the image is cut off, what is empty and what stands twice is left out.
    """
    after = _normalized(rectangles)
    story_id, theme, device = variant
    # The product's row orders two callers at once, also where no set exists to be locked.
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
    return Replaced(before, after)


def regions_of(product: Product) -> dict[StoryVariant, RegionList]:
    """Every set of the product by (story id, theme, device)."""
    rows = DynamicRegions.objects.filter(product=product)
    return {(row.story_id, row.theme, row.device): list(row.regions) for row in rows}


def _normalized(rectangles: Iterable[Rectangle]) -> RegionList:
    # A dict instead of a set keeps the order in which they were drawn.
    kept: dict[Rectangle, None] = {}
    for rectangle in rectangles:
        clipped = rectangle.clipped()
        if not clipped.is_empty:
            kept[clipped] = None
    return [asdict(rectangle) for rectangle in kept]
