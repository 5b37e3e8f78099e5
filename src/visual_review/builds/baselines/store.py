"""Baseline sets in the database: read them at a version, and create versions."""

from dataclasses import dataclass
from datetime import datetime

from django.db.models import Q, QuerySet

from visual_review.builds.baselines.sets import Entries, Entry, difference
from visual_review.builds.bulk_update import insert_rows, update_rows
from visual_review.builds.models import Baseline, BaselineEntry, BaselineMove, Build
from visual_review.builds.variants import VariantKey
from visual_review.kernel.clock import now

RESTORE = "restore"
ENTRY_COLUMNS = (
    "baseline",
    "story_id",
    "title",
    "theme",
    "device",
    "image",
    "source_hash",
    "from_move",
)
ENTRY_FIELDS = ("story_id", "title", "theme", "device", "image_id", "source_hash")


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
    return _as_entries(BaselineEntry.objects.filter(baseline=baseline, to_move=None))


def entries_at(baseline_id: str, version: int) -> dict[VariantKey, Entry]:
    """Return the baseline's set at ``version``."""
    ended_later = Q(to_move=None) | Q(to_move__gt=version)
    rows = BaselineEntry.objects.filter(
        ended_later, baseline_id=baseline_id, from_move__lte=version
    )
    return _as_entries(rows)


def _as_entries(rows: QuerySet[BaselineEntry]) -> dict[VariantKey, Entry]:
    return {
        VariantKey(story_id, theme, device): Entry(image, title, source_hash)
        for story_id, title, theme, device, image, source_hash in rows.values_list(*ENTRY_FIELDS)
    }


def create_baseline_version(
    baseline: Baseline, after: Entries, details: VersionDetails
) -> BaselineMove:
    """Create the next version of the locked ``baseline``, with the set ``after``."""
    before = current_entries(baseline)
    baseline.last_move += 1
    baseline.save(update_fields=["last_move"])
    row = BaselineMove.objects.create(
        baseline=baseline,
        sequence=baseline.last_move,
        kind=details.kind,
        build=details.build,
        restored_sequence=details.restored_sequence,
        reason=details.reason,
        moved_by_id=details.by_id,
        moved_by_name=details.by_name,
        source=details.source,
        client=details.client,
        moved_at=now(),
    )
    _write_difference(baseline, before, after)
    return row


def _write_difference(baseline: Baseline, before: Entries, after: Entries) -> None:
    change = difference(before, after)
    live = BaselineEntry.objects.filter(baseline=baseline, to_move=None)
    if change.ended:
        ended = [
            pk
            for pk, *key in live.values_list("pk", "story_id", "theme", "device")
            if VariantKey(*key) in change.ended
        ]
        BaselineEntry.objects.filter(pk__in=ended).update(to_move=baseline.last_move)
    insert_rows(
        BaselineEntry,
        ENTRY_COLUMNS,
        [_columns(baseline, key, entry) for key, entry in change.begun.items()],
    )
    _refresh_sources(live, before, after)


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
        baseline.last_move,
    )


def _refresh_sources(live: QuerySet[BaselineEntry], before: Entries, after: Entries) -> None:
    """Store the newest source hash of entries with the same image: a hint, not history."""
    stale = {
        key: entry.source_hash
        for key, entry in after.items()
        if key in before
        and before[key].image == entry.image
        and before[key].source_hash != entry.source_hash
    }
    if not stale:
        return
    rows = [row for row in live if VariantKey(row.story_id, row.theme, row.device) in stale]
    for row in rows:
        row.source_hash = stale[VariantKey(row.story_id, row.theme, row.device)]
    update_rows(rows, ["source_hash"])


def version_times(baseline_id: str) -> dict[int, datetime]:
    """Return the time of each version of the baseline, by its number."""
    return dict(
        BaselineMove.objects.filter(baseline_id=baseline_id).values_list("sequence", "moved_at")
    )
