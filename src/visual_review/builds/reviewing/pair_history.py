"""Looking up what the carried-over rule needs to know: earlier decisions on the same pair."""

from collections import defaultdict
from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime

from visual_review.builds.baselines.store import moved_at
from visual_review.builds.models import BaselineEntry, ReviewEntry
from visual_review.builds.reviewing.carry_over_rules import PairDecision, PairHistory
from visual_review.builds.states import APPROVED, CARRIED_OVER
from visual_review.builds.variants import VariantKey

# A query for some stories at a time can use the index and keeps its rows few.
STORIES_AT_ONCE = 500


@dataclass(frozen=True)
class PairOf:
    """A screenshot's pair: left is what the baseline holds, right what the build shows."""

    key: VariantKey
    left: int | None
    right: int | None


@dataclass(frozen=True)
class _Span:
    """A former or live entry: the image and the moves between which it was valid."""

    image: int
    from_move: int
    to_move: int | None


def histories(
    baseline_id: str, move: int, pairs: Collection[PairOf]
) -> dict[VariantKey, PairHistory]:
    """What happened to each pair on the baseline up to ``move``."""
    stories = sorted({pair.key.story_id for pair in pairs})
    times = moved_at(baseline_id)
    found: dict[VariantKey, PairHistory] = {}
    for start in range(0, len(stories), STORIES_AT_ONCE):
        part = stories[start : start + STORIES_AT_ONCE]
        spans = _spans(baseline_id, part)
        decisions = _last_decisions(baseline_id, part)
        chosen = set(part)
        for pair in pairs:
            if pair.key.story_id in chosen:
                found[pair.key] = _history(pair, move, spans[pair.key], decisions.get(pair), times)
    return found


def _history(
    pair: PairOf,
    move: int,
    spans: list[_Span],
    last: PairDecision | None,
    times: dict[int, datetime],
) -> PairHistory:
    former = [span for span in spans if span.to_move is not None and span.to_move <= move]
    live = [
        span
        for span in spans
        if span.from_move <= move and (span.to_move is None or span.to_move > move)
    ]
    if live:
        since: int | None = live[0].from_move
    else:
        # Nothing has been the left side since the last entry of this variant ended.
        since = max((span.to_move for span in former if span.to_move), default=None)
    return PairHistory(
        last=last,
        left_since=None if since is None else times.get(since),
        right_was_baseline=pair.right is not None
        and any(span.image == pair.right for span in former),
    )


def _spans(baseline_id: str, stories: list[str]) -> dict[VariantKey, list[_Span]]:
    spans: dict[VariantKey, list[_Span]] = defaultdict(list)
    rows = BaselineEntry.objects.filter(baseline_id=baseline_id, story_id__in=stories)
    for story_id, theme, device, image, from_move, to_move in rows.values_list(
        "story_id", "theme", "device", "image_id", "from_move", "to_move"
    ):
        spans[VariantKey(story_id, theme, device)].append(_Span(image, from_move, to_move))
    return spans


def _last_decisions(baseline_id: str, stories: list[str]) -> dict[PairOf, PairDecision]:
    """The newest decision of a person or key on each pair; a carried one is no decision."""
    rows = (
        ReviewEntry.objects.filter(baseline_id=baseline_id, story_id__in=stories)
        .exclude(source=CARRIED_OVER)
        # Decisions on a whole build name no pair.
        .exclude(story_id="")
        .order_by("id")
        .values_list(
            "story_id",
            "theme",
            "device",
            "left_image_id",
            "right_image_id",
            "decision",
            "decided_at",
            "screenshot_id",
            "decided_by_id",
            "decided_by_name",
            "client",
        )
    )
    return {
        # Rows come in the order they were written, so the newest decision of a pair stays.
        PairOf(VariantKey(*variant), left, right): PairDecision(
            decision == APPROVED, decided_at, shot or "", by_id, by_name, client
        )
        for *variant, left, right, decision, decided_at, shot, by_id, by_name, client in rows
    }
