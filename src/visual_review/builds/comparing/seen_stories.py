"""The stories in a product's builds, and the stories named almost like a given one."""

from functools import reduce
from operator import add
from typing import Final

from django.db.models import Case, Exists, F, OuterRef, QuerySet, Value, When
from django.db.models.functions import Abs, Collate, Length, Lower

from visual_review.builds.models import Build, Screenshot
from visual_review.builds.near_names import near_names
from visual_review.repositories.models import Product

# How alike two ids must be, 0 to 1; lower, stories of the same component would all be near.
LEAST_LIKENESS: Final = 0.8
# Longer ids are not compared: comparing takes time in proportion to the length.
LONGEST: Final = 100
MOST_COMPARED: Final = 20
# A mistake changes one piece of the name, seldom two. More pieces take the database longer.
_PIECES: Final = 6
_SHORTEST_PIECE: Final = 3
# Folds ASCII letters alone, at a fraction of the database's time for the others.
_AS_BYTES: Final = Collate("story_id", "C")


def is_story_seen(products: QuerySet[Product], story_id: str) -> bool:
    """Return whether a stored build of the product has the story."""
    shots = Screenshot.objects.filter(build=OuterRef("pk"), story_id=story_id)
    return Build.objects.filter(Exists(shots), product=products.values("pk")[:1]).exists()


def near_stories(products: QuerySet[Product], story_id: str) -> list[str]:
    """Return the ids of the product's newest build that are spelled almost like ``story_id``."""
    if not story_id or len(story_id) > LONGEST:
        return []
    compared = similar_stories(products, story_id)
    return near_names(story_id, compared, LEAST_LIKENESS, LONGEST)


def similar_stories(products: QuerySet[Product], story_id: str) -> list[str]:
    """Return ids of the newest build that share most with ``story_id``, of a similar length.

    The ids are always few, so comparing letter by letter takes no time.
    """
    newest = Build.objects.filter(product=products.values("pk")[:1]).order_by("-number")
    size = len(story_id)
    rows = (
        Screenshot.objects.filter(build=newest.values("pk")[:1])
        .annotate(size=Length("story_id"), folded=Lower(_AS_BYTES))
        # Others cannot be as alike as LEAST_LIKENESS.
        .filter(size__gte=size * 2 // 3, size__lte=size * 3 // 2)
        .annotate(shared=reduce(add, map(_counted, _pieces(story_id.casefold()))))
        .order_by("-shared", Abs(F("size") - size), "story_id")
    )
    return list(rows.values_list("story_id", flat=True).distinct()[:MOST_COMPARED])


def _pieces(name: str) -> list[str]:
    length = max(_SHORTEST_PIECE, -(-len(name) // _PIECES))
    return [name[start : start + length] for start in range(0, len(name), length)]


def _counted(piece: str) -> Case:
    return Case(When(folded__contains=piece, then=Value(1)), default=Value(0))
