"""What a decision needs to know about a locked build, in one statement."""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from django.db import connection
from psycopg import sql

from visual_review.builds.models import Baseline, Build
from visual_review.builds.states import (
    DIFF_STATES,
    DIFFERENCES,
    REJECTED,
    ReviewCounts,
    review_counts,
)

# There is a row even if the build has no screenshot, or the baseline no version.
SELECT_FACTS: Final = sql.SQL("""
SELECT
    {source}.*, version.build_id, creator.number,
    shots.diff_state, shots.review_decision, shots.is_decided, shots.rejected_by, shots.count
FROM {source}
LEFT JOIN builds_baselinemove AS version ON version.baseline_id = %s AND version.sequence = %s
LEFT JOIN builds_build AS creator ON creator.id = version.build_id
LEFT JOIN (
    SELECT
        diff_state, review_decision, {is_decided} AS is_decided,
        CASE review_decision WHEN 'rejected' THEN decided_by_name ELSE '' END AS rejected_by,
        count(*)
    FROM builds_screenshot WHERE build_id = %s AND NOT detection_only
    GROUP BY diff_state, review_decision, is_decided, rejected_by
) AS shots ON true
""")
_READ: Final = sql.SQL("WITH nothing AS (SELECT) {}").format(
    SELECT_FACTS.format(source=sql.Identifier("nothing"), is_decided=sql.SQL("false"))
)
_READ_WITH_REQUEST: Final = sql.SQL("""
WITH request AS (
    SELECT EXISTS (
        SELECT FROM builds_decisionbatch
        WHERE build_id = %s AND decided_by_id = %s AND request_id = %s
    )
) {}
""").format(SELECT_FACTS.format(source=sql.Identifier("request"), is_decided=sql.SQL("false")))


class ShotGroup(NamedTuple):
    """Screenshots that are alike; ``is_decided``: the same statement decides them.

    ``rejected_by`` is the name of who rejected them, empty where they are not rejected.
    """

    diff_state: str
    decision: str
    is_decided: bool = False
    rejected_by: str = ""


@dataclass(frozen=True)
class RejectionCount:
    """How many screenshots a person or key has rejected."""

    by: str
    count: int


@dataclass(frozen=True)
class BuildFacts:
    """The build before the statement's own changes: how many of each group, and its branch.

    ``sets_baseline``: it created the current version of its branch's baseline.
    ``replaced_number`` is the number of the build that did, None if none or a restore did.
    """

    groups: Mapping[ShotGroup, int]
    sets_baseline: bool = False
    replaced_number: int | None = None

    @property
    def counts(self) -> ReviewCounts:
        return review_counts(self._pairs({group: group.decision for group in self.groups}))

    @property
    def undecided_differences(self) -> int:
        return sum(
            count
            for group, count in self.groups.items()
            if group.diff_state in DIFFERENCES and not group.decision
        )

    def rejections(
        self, states: Collection[str] = DIFF_STATES, *, decided: bool = False
    ) -> tuple[RejectionCount, ...]:
        """Return the rejections in ``states`` by name, most first.

        ``decided``: only those that the same statement decides otherwise.
        """
        counted: Counter[str] = Counter()
        for group, count in self.groups.items():
            if group.decision == REJECTED and group.diff_state in states:
                counted[group.rejected_by] += count * (group.is_decided or not decided)
        ranked = sorted((-count, name) for name, count in counted.items() if count)
        return tuple(RejectionCount(name, -count) for count, name in ranked)

    def counts_after(self, decision: str) -> ReviewCounts:
        """Return the counts after ``decision`` on what the statement decides."""
        return review_counts(self.pairs_after(decision))

    def pairs_after(self, decision: str) -> Counter[tuple[str, str]]:
        """Return how many there are of each diff state and decision (empty for none)."""
        return self._pairs(
            {group: decision if group.is_decided else group.decision for group in self.groups}
        )

    def _pairs(self, decisions: Mapping[ShotGroup, str]) -> Counter[tuple[str, str]]:
        counted: Counter[tuple[str, str]] = Counter()
        for group, count in self.groups.items():
            counted[group.diff_state, decisions[group]] += count
        return counted


def facts_parameters(build: Build, baseline: Baseline | None) -> tuple[Any, ...]:
    """Return the parameters of ``SELECT_FACTS``; for a decision, both rows must be locked."""
    version = (baseline.pk, baseline.last_move) if baseline else (None, None)
    return (*version, build.pk)


def facts_in(build: Build, rows: Sequence[Sequence[Any]]) -> BuildFacts:
    """Return the facts in the rows of ``SELECT_FACTS``, without the columns of its source."""
    creator, number = rows[0][:2]
    groups = {ShotGroup(*group): count for _, _, *group, count in rows if count is not None}
    return BuildFacts(groups, creator == build.pk, number)


def read_facts(build: Build, baseline: Baseline | None) -> BuildFacts:
    with connection.cursor() as cursor:
        cursor.execute(_READ, facts_parameters(build, baseline))
        return facts_in(build, cursor.fetchall())


def read_facts_with_request(
    build: Build, baseline: Baseline, decided_by_id: str, request_id: str
) -> tuple[bool, BuildFacts]:
    """Return whether this request was carried out before, and the facts."""
    request = (build.pk, decided_by_id, request_id)
    with connection.cursor() as cursor:
        cursor.execute(_READ_WITH_REQUEST, [*request, *facts_parameters(build, baseline)])
        rows = cursor.fetchall()
    return rows[0][0], facts_in(build, [row[1:] for row in rows])
