"""Baseline sets in the database: read the set of a version, create and restore versions."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Final, NamedTuple

from django.db import connection
from django.db.models import QuerySet
from psycopg import sql

from visual_review.builds.baselines.sets import Entries, Entry, difference
from visual_review.builds.bulk_update import insert_rows
from visual_review.builds.models import Baseline, BaselineEntry, BaselineVersion, Build
from visual_review.builds.models.baseline_versions import ended_after
from visual_review.builds.story_regions import to_rectangles, to_text
from visual_review.builds.variants import VariantKey
from visual_review.kernel.clock import now
from visual_review.kernel.errors import ConflictError, NotFoundError

RESTORE = "restore"
ENTRY_COLUMNS = (
    "baseline",
    "story_id",
    "title",
    "theme",
    "device",
    "image",
    "source_hash",
    "renderer_hash",
    "regions",
    "from_version",
)
_LIVE_COLUMNS: Final = {
    "to_move": "integer[]",
    "source_hash": "varchar[]",
    "renderer_hash": "varchar[]",
    "regions": "jsonb[]",
}
# Matched by variant, so that the entries' ids need not be read first.
_UPDATE_LIVE: Final = """
UPDATE builds_baselineentry AS entry SET {column} = changed.value
FROM unnest(%s::varchar[], %s::varchar[], %s::varchar[], %s::{type})
    AS changed(story_id, theme, device, value)
WHERE entry.baseline_id = %s AND entry.to_move IS NULL
    AND entry.story_id = changed.story_id
    AND entry.theme = changed.theme AND entry.device = changed.device
"""
ENTRY_FIELDS = (
    "story_id",
    "title",
    "theme",
    "device",
    "image_id",
    "source_hash",
    "renderer_hash",
    "regions",
)


@dataclass(frozen=True)
class VersionDetails:
    """The reason for a version: ``kind`` is approval, carried_over or restore."""

    kind: str
    build: Build | None
    by_id: str
    by_name: str
    source: str = "user"
    client: str = ""
    reason: str = ""
    restored_sequence: int | None = None


def current_entries(baseline: Baseline) -> dict[VariantKey, Entry]:
    return _as_entries(BaselineEntry.objects.filter(baseline=baseline, to_version=None))


def entries_at(baseline_id: str, version: int) -> dict[VariantKey, Entry]:
    """Return the baseline's set at ``version``."""
    return _as_entries(_rows_at(baseline_id, version))


def _rows_at(baseline_id: str, version: int) -> QuerySet[BaselineEntry]:
    return BaselineEntry.objects.filter(
        ended_after(version), baseline_id=baseline_id, from_version__lte=version
    )


def _as_entries(rows: QuerySet[BaselineEntry]) -> dict[VariantKey, Entry]:
    return {
        VariantKey(story_id, theme, device): Entry(
            image, title, source_hash, renderer_hash, to_rectangles(regions)
        )
        for (
            story_id,
            title,
            theme,
            device,
            image,
            source_hash,
            renderer_hash,
            regions,
        ) in rows.values_list(*ENTRY_FIELDS)
    }


class ListedEntry(NamedTuple):
    """An entry of a baseline with its image's hash, and the ``regions`` ignored by its story."""

    story_id: str
    title: str
    theme: str
    device: str
    source_hash: str
    renderer_hash: str
    regions: list[dict[str, int]]
    image__sha256: str
    image__width: int
    image__height: int


def list_entries(baseline_id: str, version: int) -> list[ListedEntry]:
    """Return the baseline's set at ``version``, in the order of stories and variants."""
    ordered = _rows_at(baseline_id, version).order_by("story_id", "theme", "device")
    return list(map(ListedEntry._make, ordered.values_list(*ListedEntry._fields)))


def create_baseline_version(
    baseline: Baseline, after: Entries, details: VersionDetails, before: Entries | None = None
) -> BaselineVersion:
    """Create the next version of the locked ``baseline``, with the set ``after``.

    ``before`` is its current set, if the caller has read the set.
    """
    baseline.last_version += 1
    baseline.save(update_fields=["last_version"])
    row = BaselineVersion.objects.create(
        baseline=baseline,
        sequence=baseline.last_version,
        kind=details.kind,
        build=details.build,
        restored_sequence=details.restored_sequence,
        reason=details.reason,
        created_by_id=details.by_id,
        created_by_name=details.by_name,
        source=details.source,
        client=details.client,
        created_at=now(),
    )
    _write_difference(baseline, current_entries(baseline) if before is None else before, after)
    return row


def _write_difference(baseline: Baseline, before: Entries, after: Entries) -> None:
    change = difference(before, after)
    # Before the insert: a variant has one live entry at a time.
    _update_live(baseline, "to_move", dict.fromkeys(change.ended, baseline.last_version))
    insert_rows(
        BaselineEntry,
        ENTRY_COLUMNS,
        [_columns(baseline, key, entry) for key, entry in change.begun.items()],
    )
    # The newest facts about an entry with the same image are a hint, not history.
    same = [
        (key, before[key], entry)
        for key, entry in after.items()
        if key in before and before[key].image == entry.image
    ]
    hashes = {key: new.source_hash for key, old, new in same if old.source_hash != new.source_hash}
    _update_live(baseline, "source_hash", hashes)
    renderers = {
        key: new.renderer_hash for key, old, new in same if old.renderer_hash != new.renderer_hash
    }
    _update_live(baseline, "renderer_hash", renderers)
    regions = {key: to_text(new.regions) for key, old, new in same if old.regions != new.regions}
    _update_live(baseline, "regions", regions)


def _columns(baseline: Baseline, key: VariantKey, entry: Entry) -> tuple[object, ...]:
    # A model instance for each of thousands of entries takes most of the time of an approval.
    return (
        baseline.pk,
        key.story_id,
        entry.title,
        key.theme,
        key.device,
        entry.image,
        entry.source_hash,
        entry.renderer_hash,
        to_text(entry.regions),
        baseline.last_version,
    )


def _update_live(baseline: Baseline, column: str, values: Mapping[VariantKey, object]) -> None:
    """Write the value of each variant to its live entry."""
    if not values:
        return
    keys = [list(part) for part in zip(*values, strict=True)]
    statement = sql.SQL(_UPDATE_LIVE).format(
        column=sql.Identifier(column), type=sql.SQL(_LIVE_COLUMNS[column])
    )
    with connection.cursor() as cursor:
        cursor.execute(statement, [*keys, list(values.values()), baseline.pk])


def version_times(baseline_id: str) -> dict[int, datetime]:
    """Return the time of each version of the baseline, by its number."""
    return dict(
        BaselineVersion.objects.filter(baseline_id=baseline_id).values_list(
            "sequence", "created_at"
        )
    )


def restore_baseline(
    baseline: Baseline, sequence: int, by: tuple[str, str], reason: str
) -> BaselineVersion:
    """Create a version of ``baseline`` with the set of version ``sequence``; ``by`` is (id, name).

    Raises NotFoundError for a missing version, ConflictError for the current one.
    """
    rows = Baseline.objects.select_for_update(no_key=True)
    locked = rows.filter(pk=baseline.pk, last_version__gte=1).first()
    if locked is None:
        raise NotFoundError("This baseline was deleted, since its branch no longer exists.")
    if not BaselineVersion.objects.filter(baseline=locked, sequence=sequence).exists():
        raise NotFoundError(f"This baseline has no version {sequence}.")
    if sequence == locked.last_version:
        raise ConflictError(f"Version {sequence} is already the current version of the baseline.")
    by_id, by_name = by
    details = VersionDetails(
        kind=RESTORE,
        build=None,
        by_id=by_id,
        by_name=by_name,
        reason=reason,
        restored_sequence=sequence,
    )
    return create_baseline_version(locked, entries_at(locked.id, sequence), details)
