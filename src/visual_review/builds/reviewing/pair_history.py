"""Load the history that carried-over approvals depend on: earlier decisions on a pair."""

from collections import defaultdict
from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

from visual_review.builds.baselines.store import version_times
from visual_review.builds.models import BaselineEntry, Build, ReviewEntry
from visual_review.builds.review_history import LogEntry, effective_entries
from visual_review.builds.reviewing.approval_scope import ReviewPlace, newest_that_counts
from visual_review.builds.reviewing.carry_over_rules import PairDecision, PairHistory
from visual_review.builds.reviewing.decision_places import DecisionPlaces
from visual_review.builds.states import APPROVED, CARRIED_OVER, CLEARED
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


class _LoggedRow(NamedTuple):
    """An entry of the review log; named after the columns."""

    id: int
    build_id: str
    story_id: str
    theme: str
    device: str
    left_image_id: int | None
    right_image_id: int | None
    decision: str
    decided_at: datetime
    screenshot_id: str | None
    decided_by_id: str
    decided_by_name: str
    client: str

    @property
    def pair(self) -> ImagePair:
        key = VariantKey(self.story_id, self.theme, self.device)
        return ImagePair(key, self.left_image_id, self.right_image_id)


class _PlacedRow(NamedTuple):
    """An entry of the review log, and where its decision was made."""

    row: _LoggedRow
    place: ReviewPlace

    @property
    def decision(self) -> str:
        return self.row.decision


def load_histories_for(build: Build, pairs: Collection[ImagePair]) -> dict[VariantKey, PairHistory]:
    """Return the history of each pair on the baseline that the build is compared with.

    If approvals do not carry over across pull requests, those that were made elsewhere are left
    out. The build has its repository loaded.
    """
    if build.baseline_id is None:
        return {}
    scoped = None if build.repository.carries_approvals_over else build
    return load_pair_histories(build.baseline_id, build.baseline_move, pairs, scoped)


def load_pair_histories(
    baseline_id: str, version: int, pairs: Collection[ImagePair], scoped: Build | None = None
) -> dict[VariantKey, PairHistory]:
    """Return the history of each pair on the baseline up to ``version``.

    With ``scoped``, only decisions that count for this build without carry-over across pull
    requests.
    """
    stories = sorted({pair.key.story_id for pair in pairs})
    times = version_times(baseline_id)
    found: dict[VariantKey, PairHistory] = {}
    for start in range(0, len(stories), STORIES_AT_ONCE):
        part = stories[start : start + STORIES_AT_ONCE]
        lifetimes = _load_lifetimes(baseline_id, part)
        decisions = _last_decisions(baseline_id, part, scoped)
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


def _last_decisions(
    baseline_id: str, stories: list[str], scoped: Build | None
) -> dict[ImagePair, PairDecision]:
    """Return the newest decision by a person or key on each pair, without carried-over ones.

    Pairs whose newest decision was cleared have none, and undone ones are as if never made.
    """
    rows = (
        ReviewEntry.objects.filter(baseline_id=baseline_id, story_id__in=stories)
        .exclude(source=CARRIED_OVER)
        # Decisions on a whole build have no pair.
        .exclude(story_id="")
        .order_by("id")
        .values_list(*_LoggedRow._fields)
    )
    logged = {row.id: row for row in map(_LoggedRow._make, rows)}
    entries = (
        LogEntry(row.id, row.build_id, row.pair.key, row.decision) for row in logged.values()
    )
    effective = [logged[entry.id] for entry in effective_entries(entries)]
    # Rows are in the order they were written, so the newest decision on a pair wins.
    last = {row.pair: row for row in effective} if scoped is None else _newest(effective, scoped)
    return {pair: _as_decision(row) for pair, row in last.items() if row.decision != CLEARED}


def _newest(rows: list[_LoggedRow], scoped: Build) -> dict[ImagePair, _LoggedRow]:
    places = DecisionPlaces(scoped, {row.build_id for row in rows})
    by_pair: dict[ImagePair, list[_PlacedRow]] = defaultdict(list)
    for row in rows:
        place = places.find(row.build_id)
        # Without its build, the entry is gone as well.
        if place is not None:
            by_pair[row.pair].append(_PlacedRow(row, place))
    found = {pair: newest_that_counts(each, places.counts) for pair, each in by_pair.items()}
    return {pair: placed.row for pair, placed in found.items() if placed is not None}


def _as_decision(row: _LoggedRow) -> PairDecision:
    return PairDecision(
        row.decision == APPROVED,
        row.decided_at,
        row.screenshot_id or "",
        row.decided_by_id,
        row.decided_by_name,
        row.client,
    )
