"""Measure every screenshot's difference from the baseline, outside any transaction."""

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from typing import NamedTuple

from visual_review.builds.baselines.sets import Entries, Entry
from visual_review.builds.baselines.store import entries_at
from visual_review.builds.bulk_update import BATCH_SIZE
from visual_review.builds.comparing.change_groups import (
    CapturedWith,
    FoundGroup,
    find_groups,
    find_other_cause,
)
from visual_review.builds.comparing.pair_batches import FailedPair, compare_pairs
from visual_review.builds.comparing.plan import (
    CapturedShot,
    CaptureOutcome,
    ComparisonPlan,
    Scope,
    plan_comparison,
)
from visual_review.builds.comparing.verdict_cache import (
    DEFAULT_THRESHOLD,
    Pair,
    cached_comparisons,
    region_tuples,
)
from visual_review.builds.images.image_memory import size_of
from visual_review.builds.models import Build, Comparison, Image, Screenshot
from visual_review.builds.states import CHANGED, FAILED, REMOVED, UNCHANGED
from visual_review.builds.story_regions import as_fractions, find_ignored, to_json, to_rectangles
from visual_review.builds.time_slices import never_end
from visual_review.builds.variants import VariantKey
from visual_review.imagediff.rectangles import unite
from visual_review.repositories.boolean_settings import COUNTS_FAINT_CHANGES
from visual_review.repositories.regions import regions_of

NO_IMAGE = "No image was uploaded for this screenshot. Publish again."


class ComparisonBasis(NamedTuple):
    """The basis of a build's measurement; ``since`` is when its processing was last enqueued."""

    baseline_id: str | None
    version: int
    since: datetime


def comparison_basis(build: Build) -> ComparisonBasis:
    return ComparisonBasis(build.baseline_id, build.baseline_version, build.last_upload_at)


@dataclass
class Measurement:
    """The result of measuring a build: rows to update, rows to add, and groups."""

    basis: ComparisonBasis
    measured: list[Screenshot] = field(default_factory=list)
    added: list[Screenshot] = field(default_factory=list)
    groups: list[FoundGroup] = field(default_factory=list)


def measure_build(build: Build, check_time: Callable[[], None] = never_end) -> Measurement:
    """Compare all screenshots of ``build`` with its baseline version; writes no screenshot.

    Raises the errors of ``check_time``, called before each pair with an unknown verdict.
    """
    entries = entries_at(build.baseline_id, build.baseline_version) if build.baseline_id else {}
    captured = Screenshot.objects.filter(build=build, inherited=False).exclude(diff_state=REMOVED)
    planned = plan_comparison(
        [_captured(row) for row in captured.iterator()], entries, _scope(build)
    )
    kept = _kept_removals(build)
    added = [row for row in _new_rows(build, planned) if _key(row) not in kept]
    result = Measurement(comparison_basis(build), added=added)
    # Images are loaded in chunks, since a build may have 12,000 images.
    for rows in _chunks(list(captured.order_by("id"))):
        result.measured += _measure_rows(build, rows, planned, entries, check_time)
    result.groups = find_groups(result.measured)
    return result


def remeasure_build(build: Build, check_time: Callable[[], None] = never_end) -> Measurement:
    """Compare changed and unchanged screenshots again, with the current dynamic regions."""
    rows = Screenshot.objects.filter(
        build=build,
        inherited=False,
        detection_only=False,
        diff_state__in=(CHANGED, UNCHANGED),
        baseline_image__isnull=False,
    ).order_by("id")
    result = Measurement(comparison_basis(build))
    known = entries_at(build.baseline_id, build.baseline_version) if build.baseline_id else {}
    for part in _chunks(list(rows)):
        entries = _entries_of(part, known)
        # No new plan: new, removed and failed screenshots do not depend on regions.
        outcomes: dict[VariantKey, CaptureOutcome] = {
            _key(row): UNCHANGED if row.image_id == row.baseline_image_id else "compare"
            for row in part
        }
        plan = ComparisonPlan(outcomes, {}, {})
        result.measured += _measure_rows(build, part, plan, entries, check_time)
    result.groups = find_groups(result.measured)
    return result


def _entries_of(rows: list[Screenshot], known: Entries) -> Entries:
    """Return the baseline entries the rows were compared with."""
    return {
        _key(row): _same_image(known.get(_key(row)), row.baseline_image_id)
        for row in rows
        if row.baseline_image_id
    }


def _same_image(entry: Entry | None, image: int) -> Entry:
    return entry if entry is not None and entry.image == image else Entry(image)


def _kept_removals(build: Build) -> set[VariantKey]:
    """Return decided removals, kept when the base branch changed."""
    rows = Screenshot.objects.filter(build=build, diff_state=REMOVED)
    return {_key(row) for row in rows}


def _captured(row: Screenshot) -> CapturedShot:
    return CapturedShot(_key(row), row.image_id, row.detection_only)


def _key(row: Screenshot) -> VariantKey:
    return VariantKey(row.story_id, row.theme, row.device)


def _scope(build: Build) -> Scope:
    return Scope(
        matrix=frozenset((theme, device) for theme, device in build.matrix),
        stories=frozenset(build.story_ids or ()) if build.is_partial else None,
    )


def _chunks(rows: list[Screenshot]) -> Iterator[list[Screenshot]]:
    for start in range(0, len(rows), BATCH_SIZE):
        yield rows[start : start + BATCH_SIZE]


def _new_rows(build: Build, planned: ComparisonPlan) -> Iterator[Screenshot]:
    for key, entry in planned.inherited.items():
        row = _new_row(build, key, entry, UNCHANGED)
        row.image_id = entry.image
        row.inherited = True
        yield row
    for key, entry in planned.removed.items():
        yield _new_row(build, key, entry, REMOVED)


def _new_row(build: Build, key: VariantKey, entry: Entry, diff_state: str) -> Screenshot:
    return Screenshot(
        build=build,
        story_id=key.story_id,
        title=entry.title,
        theme=key.theme,
        device=key.device,
        baseline_image_id=entry.image,
        source_hash=entry.source_hash,
        renderer_hash=entry.renderer_hash,
        regions=to_json(entry.regions),
        diff_state=diff_state,
    )


def _measure_rows(
    build: Build,
    rows: list[Screenshot],
    planned: ComparisonPlan,
    entries: Entries,
    check_time: Callable[[], None],
) -> list[Screenshot]:
    pairs = _pairs(build, rows, planned, entries)
    verdicts = _find_verdicts(build.repository.organization_id, pairs.values(), check_time)
    counts_faint = COUNTS_FAINT_CHANGES.of(build.product)
    for row in rows:
        key = _key(row)
        entry = None if row.detection_only else entries.get(key)
        row.baseline_image_id = entry.image if entry else None
        pair = pairs.get(key)
        if pair is None:
            _settle(row, planned.outcomes[key])
        elif pair.pixel_equal:
            _settle(row, UNCHANGED)
        else:
            _apply(row, verdicts[pair.key], counts_faint=counts_faint)
        row.not_from_branch = _find_other_cause(row, entry) if row.diff_state == CHANGED else ""
    return rows


def _find_other_cause(row: Screenshot, entry: Entry | None) -> str:
    if entry is None:
        return ""
    before = CapturedWith(entry.source_hash, entry.renderer_hash)
    return find_other_cause(before, CapturedWith(row.source_hash, row.renderer_hash))


def _find_verdicts(
    organization_id: str, pairs: Collection[Pair], check_time: Callable[[], None]
) -> dict[str, Comparison | FailedPair]:
    """Return the verdicts on all pairs whose pixels differ, by key; the unknown are computed."""
    differing = [pair for pair in pairs if not pair.pixel_equal]
    known = cached_comparisons(organization_id, differing)
    unknown = [pair for pair in differing if pair.key not in known]
    return {**known, **compare_pairs(organization_id, unknown, check_time)}


def _pairs(
    build: Build, rows: list[Screenshot], planned: ComparisonPlan, entries: Entries
) -> dict[VariantKey, Pair]:
    """Return the images to compare, with the current dynamic regions and the story's own."""
    to_compare = [row for row in rows if planned.outcomes[_key(row)] == "compare" and row.image_id]
    wanted = {entries[_key(row)].image for row in to_compare}
    images = Image.objects.in_bulk(
        [*(wanted | {row.image_id for row in to_compare if row.image_id})]
    )
    regions = regions_of(build.product)
    pairs = {}
    for row in to_compare:
        key = _key(row)
        before, after = images[entries[key].image], images[row.image_id]
        ignored = find_ignored(entries[key].regions, to_rectangles(row.regions))
        pairs[key] = Pair(
            before=before,
            after=after,
            regions=region_tuples(
                [
                    *regions.get((key.story_id, key.theme, key.device), ()),
                    *as_fractions(ignored, unite(size_of(before), size_of(after))),
                ]
            ),
            threshold=DEFAULT_THRESHOLD if row.threshold is None else row.threshold,
        )
    return pairs


def _settle(row: Screenshot, outcome: CaptureOutcome) -> None:
    row.diff_state = outcome
    row.diff_ratio = 0
    row.comparison = None
    row.only_in_regions = False
    if outcome == FAILED and not row.message:
        row.message = NO_IMAGE


def _apply(row: Screenshot, verdict: Comparison | FailedPair, *, counts_faint: bool) -> None:
    if isinstance(verdict, FailedPair):
        _settle(row, FAILED)
        row.message = verdict.reason
        return
    faint = counts_faint and verdict.is_faintly_changed
    row.diff_state = CHANGED if verdict.diff_pixels or faint else UNCHANGED
    row.diff_ratio = verdict.diff_ratio
    row.comparison = verdict
    # Faint changes are looked for outside dynamic regions only.
    row.only_in_regions = verdict.only_in_regions and not faint
