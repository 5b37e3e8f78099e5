"""Load the history for carried-over approvals: earlier decisions on a pair."""

from collections import defaultdict
from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

from visual_review.builds.baselines.store import version_times
from visual_review.builds.models import BaselineEntry, Build, PullRequest
from visual_review.builds.pull_requests.ordering import CLOSED, MERGED, OPEN
from visual_review.builds.review_history import effective_entries
from visual_review.builds.reviewing.carry_over_rules import (
    ApprovalScope,
    Merge,
    PairDecision,
    PairHistory,
    ReviewPlace,
    newest_that_counts,
)
from visual_review.builds.source import BranchKey
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
    """A former or current entry: its image and its first and last version."""

    image: int
    from_version: int
    to_version: int | None


class _LoggedRow(NamedTuple):
    """An entry of the review log; named after the columns."""

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
    """An entry of the review log, and the place of its decision."""

    row: _LoggedRow
    place: ReviewPlace

    @property
    def decision(self) -> str:
        return self.row.decision


def load_histories_for(build: Build, pairs: Collection[ImagePair]) -> dict[VariantKey, PairHistory]:
    """Return the history of each pair on the baseline the build is compared with.

    Decisions without effect on the build are left out. The build has its repository loaded.
    """
    if build.baseline_id is None:
        return {}
    return load_pair_histories(build.baseline_id, build.baseline_version, pairs, build)


def load_pair_histories(
    baseline_id: str, version: int, pairs: Collection[ImagePair], build: Build | None = None
) -> dict[VariantKey, PairHistory]:
    """Return the history of each pair on the baseline up to ``version``.

    With ``build``, only decisions valid for the build.
    """
    stories = sorted({pair.key.story_id for pair in pairs})
    times = version_times(baseline_id)
    found: dict[VariantKey, PairHistory] = {}
    for start in range(0, len(stories), STORIES_AT_ONCE):
        part = stories[start : start + STORIES_AT_ONCE]
        lifetimes = _load_lifetimes(baseline_id, part)
        decisions = _last_decisions(baseline_id, part, build)
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
        if lifetime.to_version is not None and lifetime.to_version <= version
    ]
    live = [
        lifetime
        for lifetime in lifetimes
        if lifetime.from_version <= version
        and (lifetime.to_version is None or lifetime.to_version > version)
    ]
    if live:
        since: int | None = live[0].from_version
    else:
        # The variant has had no entry since its last one ended.
        since = max(
            (lifetime.to_version for lifetime in former if lifetime.to_version), default=None
        )
    return PairHistory(
        last=last,
        left_since=None if since is None else times.get(since),
        right_was_baseline=pair.right is not None
        and any(lifetime.image == pair.right for lifetime in former),
    )


def _load_lifetimes(baseline_id: str, stories: list[str]) -> dict[VariantKey, list[_EntryLifetime]]:
    lifetimes: dict[VariantKey, list[_EntryLifetime]] = defaultdict(list)
    rows = BaselineEntry.objects.filter(baseline_id=baseline_id, story_id__in=stories)
    for story_id, theme, device, image, from_version, to_version in rows.values_list(
        "story_id", "theme", "device", "image_id", "from_version", "to_version"
    ):
        lifetimes[VariantKey(story_id, theme, device)].append(
            _EntryLifetime(image, from_version, to_version)
        )
    return lifetimes


def _last_decisions(
    baseline_id: str, stories: list[str], build: Build | None
) -> dict[ImagePair, PairDecision]:
    """Return the newest decision by a person or key on each pair, without carried-over ones.

    Removals accepted only along with a build are left out, too: no one decided them. Pairs whose
    newest decision was cleared have none, and undone decisions count as never made.
    """
    rows = (
        effective_entries()
        .filter(baseline_id=baseline_id, story_id__in=stories)
        .exclude(source=CARRIED_OVER)
        # Decisions on a whole build have no pair.
        .exclude(story_id="")
        .exclude(along_with_build=True)
        .order_by("id")
        .values_list(*_LoggedRow._fields)
    )
    logged = list(map(_LoggedRow._make, rows))
    # Rows are in the order they were written, so the newest decision on a pair wins.
    last = {row.pair: row for row in logged} if build is None else _newest(logged, build)
    return {pair: _as_decision(row) for pair, row in last.items() if row.decision != CLEARED}


def _newest(rows: list[_LoggedRow], build: Build) -> dict[ImagePair, _LoggedRow]:
    places = DecisionPlaces(build, {row.build_id for row in rows})
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


class DecisionPlaces:
    """The places of decisions made in some builds, and whether an approval there counts."""

    def __init__(self, build: Build, build_ids: Collection[str]) -> None:
        base = build.baseline
        if base is None:
            raise ValueError("A build without a baseline has no earlier decisions.")
        self._scope = ApprovalScope(
            _place_of(build.branch, build.head_repository, build.pull_request),
            BranchKey(base.branch, base.head_repository),
            across=build.repository.carries_approvals_over,
        )
        rows = Build.objects.filter(pk__in=build_ids)
        self._places = {
            pk: _place_of(branch, head, pull_request)
            for pk, branch, head, pull_request in rows.values_list(
                "pk", "branch", "head_repository", "pull_request"
            )
        }
        numbers = {
            place.pull_request for place in self._places.values() if place.pull_request is not None
        }
        pulls = PullRequest.objects.filter(repository_id=build.repository_id, number__in=numbers)
        self._merges = {pull.number: self._merge_of(pull) for pull in pulls}

    def find(self, build_id: str) -> ReviewPlace | None:
        """Return the place of the build's decisions; None if the build was deleted meanwhile."""
        return self._places.get(build_id)

    def counts(self, place: ReviewPlace) -> bool:
        """Return whether an approval made at ``place`` applies to the build."""
        number = place.pull_request
        merge = Merge.UNKNOWN if number is None else self._merges.get(number, Merge.UNKNOWN)
        return self._scope.counts(place, merge)

    def _merge_of(self, pull: PullRequest) -> Merge:
        if pull.state == MERGED:
            # Into the build's own branch, if the branch is the base of a stack of pull requests.
            into = BranchKey(pull.base_branch)
            merged = into in {self._scope.base, self._scope.place.branch}
            return Merge.MERGED if merged else Merge.NOT_MERGED
        if pull.state == CLOSED:
            return Merge.CLOSED
        reported = pull.host_updated_at is not None or pull.asked_at is not None
        return Merge.NOT_MERGED if reported or pull.state != OPEN else Merge.UNKNOWN


def _place_of(branch: str, head_repository: str, pull_request: int | None) -> ReviewPlace:
    return ReviewPlace(BranchKey(branch, head_repository), pull_request)
