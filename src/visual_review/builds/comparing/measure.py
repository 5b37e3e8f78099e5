"""Measuring a build: every screenshot's difference from the baseline, outside any transaction."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from typing import NamedTuple

from visual_review.builds.baselines.sets import Entries, Entry
from visual_review.builds.baselines.store import entries_at
from visual_review.builds.comparing.plan import Captured, Known, Plan, Scope, plan
from visual_review.builds.comparing.verdict_cache import (
    DEFAULT_THRESHOLD,
    Pair,
    compare_pair,
    region_tuples,
)
from visual_review.builds.models import Build, Comparison, Image, Screenshot
from visual_review.builds.variants import VariantKey
from visual_review.imagediff import ImageError
from visual_review.kernel.blobs import BlobMissingError, blob_store
from visual_review.repositories.regions import regions_of

ROWS_AT_ONCE = 1000
NO_IMAGE = "No image was uploaded for this screenshot; publish again."


class Against(NamedTuple):
    """What a build was measured against; ``since`` is when it was last given to processing."""

    baseline_id: str | None
    move: int
    since: datetime


def measured_against(build: Build) -> Against:
    return Against(build.baseline_id, build.baseline_move, build.last_upload_at)


@dataclass
class Measurement:
    """What the machine saw in a build: rows to update, and rows it adds itself."""

    against: Against
    measured: list[Screenshot] = field(default_factory=list)
    added: list[Screenshot] = field(default_factory=list)


def measure(build: Build) -> Measurement:
    """Compare all screenshots of ``build`` with its fixed baseline move; writes no screenshot."""
    entries = entries_at(build.baseline_id, build.baseline_move) if build.baseline_id else {}
    captured = Screenshot.objects.filter(build=build, inherited=False).exclude(diff_state="removed")
    planned = plan([_captured(row) for row in captured.iterator()], entries, _scope(build))
    kept = _kept_removals(build)
    added = [row for row in _added(build, planned) if _key(row) not in kept]
    result = Measurement(measured_against(build), added=added)
    # Images are loaded for a part at a time, since a build may name 12,000 of them.
    for rows in _chunks(list(captured.order_by("id"))):
        result.measured += _measure_rows(build, rows, planned, entries)
    return result


def measure_again(build: Build) -> Measurement:
    """Compare changed and unchanged screenshots again, from stored images and today's regions."""
    rows = Screenshot.objects.filter(
        build=build,
        inherited=False,
        detection_only=False,
        diff_state__in=("changed", "unchanged"),
        baseline_image__isnull=False,
    ).order_by("id")
    result = Measurement(measured_against(build))
    for part in _chunks(list(rows)):
        entries = {_key(row): Entry(row.baseline_image_id) for row in part if row.baseline_image_id}
        # No planning again: what is new, removed or failed does not depend on regions.
        known: dict[VariantKey, Known] = {
            _key(row): "unchanged" if row.image_id == row.baseline_image_id else "compare"
            for row in part
        }
        result.measured += _measure_rows(build, part, Plan(known, {}, {}), entries)
    return result


def _kept_removals(build: Build) -> set[VariantKey]:
    """Decided ones that stayed when the build's pull request got another target."""
    rows = Screenshot.objects.filter(build=build, diff_state="removed")
    return {_key(row) for row in rows}


def _captured(row: Screenshot) -> Captured:
    return Captured(_key(row), row.image_id, row.detection_only)


def _key(row: Screenshot) -> VariantKey:
    return VariantKey(row.story_id, row.theme, row.device)


def _scope(build: Build) -> Scope:
    return Scope(
        matrix=frozenset((theme, device) for theme, device in build.matrix),
        stories=frozenset(build.story_ids or ()) if build.is_partial else None,
    )


def _chunks(rows: list[Screenshot]) -> Iterator[list[Screenshot]]:
    for start in range(0, len(rows), ROWS_AT_ONCE):
        yield rows[start : start + ROWS_AT_ONCE]


def _added(build: Build, planned: Plan) -> Iterator[Screenshot]:
    for key, entry in planned.inherited.items():
        row = _new_row(build, key, entry, "unchanged")
        row.image_id = entry.image
        row.inherited = True
        yield row
    for key, entry in planned.removed.items():
        yield _new_row(build, key, entry, "removed")


def _new_row(build: Build, key: VariantKey, entry: Entry, diff_state: str) -> Screenshot:
    return Screenshot(
        build=build,
        story_id=key.story_id,
        title=entry.title,
        theme=key.theme,
        device=key.device,
        baseline_image_id=entry.image,
        source_hash=entry.source_hash,
        diff_state=diff_state,
    )


def _measure_rows(
    build: Build, rows: list[Screenshot], planned: Plan, entries: Entries
) -> list[Screenshot]:
    wanted = {entries[_key(row)].image for row in rows if planned.known[_key(row)] == "compare"}
    wanted |= {row.image_id for row in rows if row.image_id}
    images = Image.objects.in_bulk(list(wanted))
    regions = regions_of(build.product)
    for row in rows:
        key = _key(row)
        entry = None if row.detection_only else entries.get(key)
        row.baseline_image_id = entry.image if entry else None
        known = planned.known[key]
        if known == "compare" and entry is not None and row.image_id is not None:
            pair = Pair(
                before=images[entry.image],
                after=images[row.image_id],
                regions=region_tuples(regions.get((key.story_id, key.theme, key.device), ())),
                threshold=DEFAULT_THRESHOLD if row.threshold is None else row.threshold,
            )
            _compare(build, row, pair)
        else:
            _settle(row, known)
    return rows


def _settle(row: Screenshot, known: Known) -> None:
    row.diff_state = known
    row.diff_ratio = 0
    row.comparison = None
    row.only_in_regions = False
    if known == "failed" and not row.message:
        row.message = NO_IMAGE


def _compare(build: Build, row: Screenshot, pair: Pair) -> None:
    if pair.pixel_equal:
        _settle(row, "unchanged")
        return
    try:
        comparison = compare_pair(build.repository.organization_id, pair, blob_store())
    except (ImageError, BlobMissingError) as error:
        _settle(row, "failed")
        row.message = f"The comparison failed: {error}"
        return
    _apply(row, comparison)


def _apply(row: Screenshot, comparison: Comparison) -> None:
    row.diff_state = "changed" if comparison.diff_pixels else "unchanged"
    row.diff_ratio = comparison.diff_ratio
    row.comparison = comparison
    row.only_in_regions = comparison.only_in_regions
