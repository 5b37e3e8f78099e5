"""Which stories a product's builds have, and which of them are named almost as a given one."""

from collections.abc import Iterable
from difflib import get_close_matches

from django.db.models import Exists, OuterRef

from visual_review.builds.models import Build, Screenshot
from visual_review.repositories.models import Product

MOST_NEAR = 3
# How alike two ids must be, 0 to 1; lower, stories of the same component would all be near.
LEAST_LIKENESS = 0.8


def is_story_seen(product: Product, story_id: str) -> bool:
    """Return whether a stored build of the product has the story."""
    shots = Screenshot.objects.filter(build=OuterRef("pk"), story_id=story_id)
    return Build.objects.filter(Exists(shots), product=product).exists()


def near_stories(product: Product, story_id: str) -> list[str]:
    """Return the ids of the product's newest build that are spelled almost like ``story_id``."""
    newest = Build.objects.filter(product=product).order_by("-number").values("pk")[:1]
    rows = Screenshot.objects.filter(build__in=newest).order_by("story_id")
    return near_spellings(story_id, rows.values_list("story_id", flat=True).distinct())


def near_spellings(wanted: str, names: Iterable[str]) -> list[str]:
    """Return the most alike names, at most three; upper and lower case count as the same."""
    by_folded = {name.casefold(): name for name in names}
    near = get_close_matches(wanted.casefold(), by_folded, MOST_NEAR, LEAST_LIKENESS)
    return [by_folded[folded] for folded in near]
