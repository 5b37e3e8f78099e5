"""Baseline sets in the database: reading them at a move, and moving them."""

from dataclasses import dataclass
from datetime import datetime

from django.db.models import Q, QuerySet

from visual_review.builds.baselines.sets import Entries, Entry, difference
from visual_review.builds.bulk_update import update_rows
from visual_review.builds.models import Baseline, BaselineEntry, BaselineMove, Build
from visual_review.builds.variants import VariantKey
from visual_review.kernel.clock import now

ROWS_AT_ONCE = 2000
RESTORE = "restore"
ENTRY_FIELDS = ("story_id", "title", "theme", "device", "image_id", "source_hash")


@dataclass(frozen=True)
class Move:
    """Why a baseline moves: ``kind`` is approval, carried_over or restore."""

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


def entries_at(baseline_id: str, move: int) -> dict[VariantKey, Entry]:
    """The set as it stood after ``move`` and before the next one."""
    ended_later = Q(to_move=None) | Q(to_move__gt=move)
    rows = BaselineEntry.objects.filter(ended_later, baseline_id=baseline_id, from_move__lte=move)
    return _as_entries(rows)


def _as_entries(rows: QuerySet[BaselineEntry]) -> dict[VariantKey, Entry]:
    return {
        VariantKey(story_id, theme, device): Entry(image, title, source_hash)
        for story_id, title, theme, device, image, source_hash in rows.values_list(*ENTRY_FIELDS)
    }


def move_baseline(baseline: Baseline, after: Entries, move: Move) -> BaselineMove:
    """Write one move of the locked ``baseline`` to the set ``after``, with its reason."""
    before = current_entries(baseline)
    baseline.last_move += 1
    baseline.save(update_fields=["last_move"])
    row = BaselineMove.objects.create(
        baseline=baseline,
        sequence=baseline.last_move,
        kind=move.kind,
        build=move.build,
        restored_sequence=move.restored_sequence,
        reason=move.reason,
        moved_by_id=move.by_id,
        moved_by_name=move.by_name,
        source=move.source,
        client=move.client,
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
    BaselineEntry.objects.bulk_create(
        (_row(baseline, key, entry) for key, entry in change.begun.items()),
        batch_size=ROWS_AT_ONCE,
    )
    _refresh_sources(live, before, after)


def _row(baseline: Baseline, key: VariantKey, entry: Entry) -> BaselineEntry:
    return BaselineEntry(
        baseline=baseline,
        story_id=key.story_id,
        title=entry.title,
        theme=key.theme,
        device=key.device,
        image_id=entry.image,
        source_hash=entry.source_hash,
        from_move=baseline.last_move,
    )


def _refresh_sources(live: QuerySet[BaselineEntry], before: Entries, after: Entries) -> None:
    """Keep the newest source hash of entries whose image stayed: it is a hint, no history."""
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


def moved_at(baseline_id: str) -> dict[int, datetime]:
    """When each move of the baseline was made, by its sequence number."""
    return dict(
        BaselineMove.objects.filter(baseline_id=baseline_id).values_list("sequence", "moved_at")
    )
