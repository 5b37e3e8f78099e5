"""Fixes the baseline, and the move of it, that a build is compared with."""

from collections.abc import Collection
from dataclasses import dataclass

from django.db.models import Count, Max, Q

from visual_review.builds.baselines.selection import BranchKey, Origin, candidates, choose
from visual_review.builds.models import Baseline, BaselineEntry
from visual_review.kernel.errors import ConflictError, InvalidInputError
from visual_review.repositories.models import Product


@dataclass(frozen=True)
class ComparedWith:
    """The rule that applied, the baseline it led to, and the move; None and 0 without one."""

    rule: str
    baseline: Baseline | None
    move: int


def newest_baseline(product: Product, origin: Origin) -> ComparedWith:
    """What a build made now would be compared with; an unsaved product has nothing yet."""
    rows = _baselines(product, origin)
    choice = choose(origin, rows)
    if choice.key is None:
        return ComparedWith(choice.rule, None, 0)
    baseline = rows[choice.key]
    return ComparedWith(choice.rule, baseline, baseline.last_move)


def planned_baseline(
    product: Product, origin: Origin, baseline_id: str | None, move: int | None
) -> ComparedWith:
    """What the capture plan named: a move that another approval has passed by still counts.

    Raises InvalidInputError for a baseline no rule leads to, ConflictError for a move it lacks.
    """
    found = newest_baseline(product, origin)
    if baseline_id is not None:
        found = _named_baseline(product, origin, baseline_id)
    if not move:
        return found
    if move > found.move:
        raise ConflictError(
            f"The baseline move {move} does not exist: the baseline of this build has "
            f"{found.move} moves. Ask for the capture plan again, then publish again."
        )
    return ComparedWith(found.rule, found.baseline, move)


def _named_baseline(product: Product, origin: Origin, baseline_id: str) -> ComparedWith:
    rows = _baselines(product, origin)
    for candidate in candidates(origin):
        baseline = rows.get(candidate.key) if candidate.key else None
        if baseline is not None and baseline.id == baseline_id:
            return ComparedWith(candidate.rule, baseline, baseline.last_move)
    raise InvalidInputError(
        f"The baseline '{baseline_id}' is none that a build of this branch is compared with. "
        "Ask for the capture plan again, or leave the baseline out."
    )


def _baselines(product: Product, origin: Origin) -> dict[BranchKey, Baseline]:
    wanted = Q(pk__in=())
    for candidate in candidates(origin):
        if candidate.key is not None:
            wanted |= Q(branch=candidate.key.branch, head_repository=candidate.key.head_repository)
    # A row without a move only serves approvals as a lock.
    rows = Baseline.objects.filter(wanted, product_id=product.id, last_move__gte=1)
    return {BranchKey(row.branch, row.head_repository): row for row in rows}


def captured_sources(
    compared: ComparedWith, variants: Collection[tuple[str, str]]
) -> dict[str, str]:
    """Each story of the baseline with the source hash its entries were captured from.

    Empty where ``variants`` lacks an entry or the entries disagree: then nothing may be
    inherited without looking.
    """
    if compared.baseline is None:
        return {}
    wanted = Q(pk__in=())
    for theme, device in variants:
        wanted |= Q(theme=theme, device=device)
    ended_later = Q(to_move=None) | Q(to_move__gt=compared.move)
    stories = (
        BaselineEntry.objects.filter(
            ended_later, baseline=compared.baseline, from_move__lte=compared.move
        )
        .values("story_id")
        .annotate(
            found=Count("pk", filter=wanted),
            sources=Count("source_hash", distinct=True, filter=wanted),
            source=Max("source_hash", filter=wanted),
        )
        .order_by("story_id")
        .values_list("story_id", "found", "sources", "source")
    )
    complete = len(set(variants))
    return {
        story: source if found == complete and sources == 1 else ""
        for story, found, sources, source in stories
    }
