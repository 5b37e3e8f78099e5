"""Resolve the baseline, and its version, to compare a build with."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import NamedTuple

from django.db.models import Count, Max, Q

from visual_review.builds.baselines.selection import choose_baseline, list_candidates
from visual_review.builds.models import Baseline, BaselineEntry
from visual_review.builds.models.baseline_versions import ended_after
from visual_review.builds.source import BranchKey, BuildSource
from visual_review.kernel.errors import ConflictError, InvalidInputError
from visual_review.repositories.models import Product


@dataclass(frozen=True)
class BaselineResolution:
    """The rule that applied, its baseline, and the version; None and 0 without a baseline."""

    rule: str
    baseline: Baseline | None
    version: int


def resolve_newest_baseline(product: Product, source: BuildSource) -> BaselineResolution:
    """Return the baseline for a build created now; an unsaved product has none yet."""
    rows = _baselines(product, source)
    choice = choose_baseline(source, product.repository.default_branch, rows)
    if choice.key is None:
        return BaselineResolution(choice.rule, None, 0)
    baseline = rows[choice.key]
    return BaselineResolution(choice.rule, baseline, baseline.last_version)


def resolve_planned_baseline(
    product: Product, source: BuildSource, baseline_id: str | None, version: int | None
) -> BaselineResolution:
    """Return the baseline and version of the capture plan, even if a newer version exists.

    Raises InvalidInputError for a baseline allowed by no rule, ConflictError for a missing version.
    """
    found = resolve_newest_baseline(product, source)
    if baseline_id is not None:
        found = _named_baseline(product, source, baseline_id)
    if not version:
        return found
    if version > found.version:
        raise ConflictError(
            f"Version {version} of the baseline does not exist: its newest version is "
            f"{found.version}. Request the capture plan again, then publish again."
        )
    return BaselineResolution(found.rule, found.baseline, version)


def _named_baseline(product: Product, source: BuildSource, baseline_id: str) -> BaselineResolution:
    rows = _baselines(product, source)
    for candidate in list_candidates(source, product.repository.default_branch):
        baseline = rows.get(candidate.key) if candidate.key else None
        if baseline is not None and baseline.id == baseline_id:
            return BaselineResolution(candidate.rule, baseline, baseline.last_version)
    raise InvalidInputError(
        f"Builds of this branch are not compared with the baseline '{baseline_id}'. "
        "Request the capture plan again, or omit the baseline."
    )


def _baselines(product: Product, source: BuildSource) -> dict[BranchKey, Baseline]:
    wanted = Q(pk__in=())
    for candidate in list_candidates(source, product.repository.default_branch):
        if candidate.key is not None:
            wanted |= Q(branch=candidate.key.branch, head_repository=candidate.key.head_repository)
    # A row without a version only serves as a lock for approvals.
    rows = Baseline.objects.filter(wanted, product_id=product.id, last_version__gte=1)
    return {BranchKey(row.branch, row.head_repository): row for row in rows}


class CaptureHashes(NamedTuple):
    """The hashes of a story's sources and renderer; empty if different or unknown."""

    source: str = ""
    renderer: str = ""


def captured_hashes(
    compared: BaselineResolution, variants: Collection[tuple[str, str]]
) -> dict[str, CaptureHashes]:
    """Return the hashes of each story's capture in the baseline.

    Empty if one of ``variants`` has no entry or the entries differ: then the story must be
    captured again.
    """
    if compared.baseline is None:
        return {}
    wanted = Q(pk__in=())
    for theme, device in variants:
        wanted |= Q(theme=theme, device=device)
    stories = (
        BaselineEntry.objects.filter(
            ended_after(compared.version),
            baseline=compared.baseline,
            from_version__lte=compared.version,
        )
        .values("story_id")
        .annotate(
            found=Count("pk", filter=wanted),
            sources=Count("source_hash", distinct=True, filter=wanted),
            renderers=Count("renderer_hash", distinct=True, filter=wanted),
            source=Max("source_hash", filter=wanted),
            renderer=Max("renderer_hash", filter=wanted),
        )
        .order_by("story_id")
        .values_list("story_id", "found", "sources", "renderers", "source", "renderer")
    )
    complete = len(set(variants))
    return {
        story: CaptureHashes(source, renderer)
        if found == complete and sources == renderers == 1
        else CaptureHashes()
        for story, found, sources, renderers, source, renderer in stories
    }
