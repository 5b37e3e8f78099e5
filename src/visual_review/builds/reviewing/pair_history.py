"""Load the history that carried-over approvals depend on: earlier decisions on a pair."""

from collections import defaultdict
from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime

from visual_review.builds.baselines.store import version_times
from visual_review.builds.models import BaselineEntry, ReviewEntry
from visual_review.builds.reviewing.carry_over_rules import PairDecision, PairHistory
from visual_review.builds.states import APPROVED, CARRIED_OVER
from visual_review.builds.variants import VariantKey

# Queries for some stories at a time can use the index and return few rows.
STORIES_AT_ONCE = 500


@dataclass(frozen=True)
class ImagePair:
    """A screenshot's pair of images: left is the baseline's, right the build's."""

    key: VariantKey
    left: int | None
    right: int | None


@dataclass(frozen=True)
class _EntryLifetime:
    """A former or current entry: its image and the versions between which it was valid."""

    image: int
    from_move: int
    to_move: int | None


def load_pair_histories(
    baseline_id: str, version: int, pairs: Collection[ImagePair]
) -> dict[VariantKey, PairHistory]:
    """Return the history of each pair on the baseline up to ``version``."""
    stories = sorted({pair.key.story_id for pair in pairs})
    times = version_times(baseline_id)
    found: dict[VariantKey, PairHistory] = {}
    for start in range(0, len(stories), STORIES_AT_ONCE):
        part = stories[start : start + STORIES_AT_ONCE]
        lifetimes = _load_lifetimes(baseline_id, part)
        decisions = _last_decisions(baseline_id, part)
        chosen = set(part)
        for pair in pairs:
            if pair.key.story_id in chosen:
                found[pair.key] = _history(
                    pair, version, lifetimes[pair.key], decisions.get(pair), times
                )
    return found


def _history(
    pair: ImagePair,
    version: int,
    lifetimes: list[_EntryLifetime],
    last: PairDecision | None,
    times: dict[int, datetime],
) -> PairHistory:
    former = [
        lifetime
        for lifetime in lifetimes
        if lifetime.to_move is not None and lifetime.to_move <= version
    ]
    live = [
        lifetime
        for lifetime in lifetimes
        if lifetime.from_move <= version
        and (lifetime.to_move is None or lifetime.to_move > version)
    ]
    if live:
        since: int | None = live[0].from_move
    else:
        # The variant has had no entry since its last one ended.
        since = max((lifetime.to_move for lifetime in former if lifetime.to_move), default=None)
    return PairHistory(
        last=last,
        left_since=None if since is None else times.get(since),
        right_was_baseline=pair.right is not None
        and any(lifetime.image == pair.right for lifetime in former),
    )


def _load_lifetimes(baseline_id: str, stories: list[str]) -> dict[VariantKey, list[_EntryLifetime]]:
    lifetimes: dict[VariantKey, list[_EntryLifetime]] = defaultdict(list)
    rows = BaselineEntry.objects.filter(baseline_id=baseline_id, story_id__in=stories)
    for story_id, theme, device, image, from_move, to_move in rows.values_list(
        "story_id", "theme", "device", "image_id", "from_move", "to_move"
    ):
        lifetimes[VariantKey(story_id, theme, device)].append(
            _EntryLifetime(image, from_move, to_move)
        )
    return lifetimes


def _last_decisions(baseline_id: str, stories: list[str]) -> dict[ImagePair, PairDecision]:
    """Return the newest decision by a person or key on each pair, without carried-over ones."""
    rows = (
        ReviewEntry.objects.filter(baseline_id=baseline_id, story_id__in=stories)
        .exclude(source=CARRIED_OVER)
        # Decisions on a whole build have no pair.
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
        # Rows are in the order they were written, so the newest decision on a pair wins.
        ImagePair(VariantKey(*variant), left, right): PairDecision(
            decision == APPROVED, decided_at, shot or "", by_id, by_name, client
        )
        for *variant, left, right, decision, decided_at, shot, by_id, by_name, client in rows
    }
