"""Find the numbered changes of a build, and earlier decisions on the same pairs."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from django.db.models import Q, QuerySet

from visual_review.builds.models import Build, ChangeGroup, Screenshot
from visual_review.builds.review_history import effective_entries
from visual_review.builds.states import DECISIONS
from visual_review.builds.variants import VariantKey

# Only the newest entries are searched for equal pairs of images.
MOST_ENTRIES: Final = 2000


@dataclass(frozen=True)
class ChangeFilter:
    """The changes to list; empty fields select all. ``undecided`` excludes all decisions."""

    states: Collection[str] = ()
    decision: str = ""
    group: ChangeGroup | None = None
    story_prefix: str = ""
    theme: str = ""
    device: str = ""


class PreviousDecision(NamedTuple):
    """The newest decision on the very same pair of images in another build."""

    decision: str
    name: str
    build_number: int


def list_numbered(build: Build, chosen: ChangeFilter, after: int, most: int) -> list[Screenshot]:
    """Return at most ``most`` matching rows with a number above ``after``, in order of numbers."""
    rows = _filtered(Screenshot.objects.filter(build=build, number__gt=after), chosen)
    # Not by a join, which would search the whole tables for each row.
    related = rows.select_related("group").prefetch_related("image", "baseline_image", "comparison")
    return list(related.order_by("number")[:most])


def count_numbered(build: Build, chosen: ChangeFilter) -> int:
    """Return how many match, on all pages."""
    return _filtered(Screenshot.objects.filter(build=build, number__gt=0), chosen).count()


def _filtered(rows: QuerySet[Screenshot], chosen: ChangeFilter) -> QuerySet[Screenshot]:
    conditions = Q()
    if chosen.states:
        conditions &= Q(diff_state__in=chosen.states)
    if chosen.decision:
        decision = "" if chosen.decision == "undecided" else chosen.decision
        conditions &= Q(review_decision=decision)
    if chosen.group is not None:
        conditions &= Q(group=chosen.group)
    if chosen.story_prefix:
        conditions &= Q(story_id__startswith=chosen.story_prefix)
    if chosen.theme:
        conditions &= Q(theme=chosen.theme)
    if chosen.device:
        conditions &= Q(device=chosen.device)
    return rows.filter(conditions)


def number_remainders(groups: Collection[ChangeGroup]) -> dict[str, list[int]]:
    """Return the numbers of the groups' remainders, by the groups' ids."""
    wanted = {pk for group in groups for pk in group.remainders}
    rows = Screenshot.objects.filter(pk__in=wanted)
    numbers = {pk: number for pk, number in rows.values_list("pk", "number") if number is not None}
    return {
        group.pk: sorted(numbers[pk] for pk in group.remainders if pk in numbers)
        for group in groups
    }


def load_previous(build: Build, rows: Sequence[Screenshot]) -> dict[VariantKey, PreviousDecision]:
    """Return the newest decision on each pair in other builds of the same product."""
    pairs = {_key(row): (row.baseline_image_id, row.image_id) for row in rows}
    shown = Q(right_image__in={row.image_id for row in rows if row.image_id})
    removed = {row.baseline_image_id for row in rows if row.image_id is None}
    entries = (
        effective_entries()
        .filter(
            shown | Q(right_image=None, left_image__in=removed),
            build__product=build.product_id,
            story_id__in={row.story_id for row in rows},
            decision__in=DECISIONS,
        )
        .exclude(build=build)
    )
    found: dict[VariantKey, PreviousDecision] = {}
    for entry in entries.select_related("build").order_by("-id")[:MOST_ENTRIES]:
        key = VariantKey(entry.story_id, entry.theme, entry.device)
        if pairs.get(key) == (entry.left_image_id, entry.right_image_id):
            found.setdefault(
                key, PreviousDecision(entry.decision, entry.decided_by_name, entry.build.number)
            )
    return found


def _key(row: Screenshot) -> VariantKey:
    return VariantKey(row.story_id, row.theme, row.device)
