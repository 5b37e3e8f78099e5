"""The writes that decisions are made of: rows of screenshots, the review log, the build's state.

Always in this order: lock the branch's baseline, lock the build, write rows.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, LiteralString, Self

from django.db import connection
from psycopg import sql

from visual_review.builds.locks import lock_build_of
from visual_review.builds.models import Baseline, Build
from visual_review.builds.reviewing.approval import Decider, finalize
from visual_review.builds.reviewing.build_facts import (
    SELECT_FACTS,
    BuildFacts,
    facts_in,
    facts_parameters,
)
from visual_review.builds.reviewing.review_log import (
    LOG_DECISION,
    SELECT_WRITTEN,
    LoggedDecision,
    WrittenEntries,
    log_build_decision,
    log_parameters,
    values_of,
)
from visual_review.builds.states import (
    APPROVED,
    CLEARED,
    REJECTED,
    REMOVED,
    Decision,
    ReviewCounts,
    require_decidable,
)
from visual_review.kernel.clock import now

_DECIDE: Final = sql.SQL("""
WITH decided AS (UPDATE builds_screenshot SET {values} WHERE {condition} RETURNING *)
, logged AS ({log}) {review}
, written AS ({written})
{select}
""")
_SELECT_WRITTEN: Final = sql.SQL("SELECT * FROM written")
_SELECT_FACTS: Final = SELECT_FACTS.format(
    source=sql.Identifier("written"), is_decided=sql.SQL("id IN (SELECT id FROM decided)")
)
# Logged after the screenshots, which the count waits for.
_REVIEW_BUILD: Final = sql.SQL("""
, reviewed AS (UPDATE builds_build SET {values} WHERE id = %s RETURNING id)
, logged_review AS (
    INSERT INTO builds_reviewentry (
        build_id, story_id, theme, device,
        decision, source, decided_by_id, decided_by_name, client, comment, decided_at, evidence
    )
    SELECT reviewed.id, '', '', '', %s, %s, %s, %s, %s, %s, %s, %s::jsonb
    FROM reviewed, (SELECT count(*) FROM logged) AS screenshots
)
""")
_COLUMNS: Final = 5
# The value of ``comment`` for a rejection without one: that of the same rejection stays, but what
# came with an approval does not become a reason to reject.
COMMENT_OF_REJECTION: Final = sql.SQL(
    "CASE WHEN review_decision = 'rejected' THEN comment ELSE '' END"
)


@dataclass(frozen=True)
class ShotCondition:
    """Which screenshots of the locked build are decided: a condition in SQL, its parameters."""

    text: LiteralString
    parameters: tuple[object, ...]

    @classmethod
    def by_id(cls, ids: Collection[str]) -> Self:
        return cls("id = ANY(%s)", (list(ids),))

    @classmethod
    def by_state(cls, build: Build, states: Collection[str]) -> Self:
        text: LiteralString = "build_id = %s AND diff_state = ANY(%s) AND NOT detection_only"
        return cls(text, (build.pk, list(states)))

    def of_story(self, story_id: str) -> "ShotCondition":
        return self._and("story_id = %s", story_id)

    def decided(self, decision: str) -> "ShotCondition":
        """Return the condition for those with this decision (empty for none), too."""
        return self._and("review_decision = %s", decision)

    def not_decided(self, decision: str) -> "ShotCondition":
        return self._and("review_decision <> %s", decision)

    def _and(self, text: LiteralString, parameter: object) -> "ShotCondition":
        return ShotCondition(f"{self.text} AND {text}", (*self.parameters, parameter))


@dataclass(frozen=True)
class ShotDecision:
    """A decision on screenshots of the locked build: the columns to write, the entries to log.

    A column's value may also be an expression in SQL. ``review`` are the columns of the build itself, if it is decided too.
    """

    build: Build
    shots: ShotCondition
    columns: Mapping[str, object]
    logged: LoggedDecision
    review: Mapping[str, object] = field(default_factory=dict)

    def statement(self, select: sql.Composable) -> sql.Composed:
        return _DECIDE.format(
            values=_assignments(self.columns),
            condition=sql.SQL(self.shots.text),
            log=LOG_DECISION,
            review=self._review(),
            written=SELECT_WRITTEN,
            select=select,
        )

    def _review(self) -> sql.Composable:
        if not self.review:
            return sql.SQL("")
        return _REVIEW_BUILD.format(values=_assignments(self.review))

    @property
    def parameters(self) -> list[Any]:
        logged = log_parameters(self.build, self.logged)
        entry = values_of(self.logged)
        review = [*self.review.values(), self.build.pk, *entry] if self.review else []
        columns = [
            value for value in self.columns.values() if not isinstance(value, sql.Composable)
        ]
        return [*columns, *self.shots.parameters, *logged, *review]


def write_shot_decision(decision: ShotDecision) -> WrittenEntries:
    with connection.cursor() as cursor:
        cursor.execute(decision.statement(_SELECT_WRITTEN), decision.parameters)
        return WrittenEntries(*cursor.fetchone())


def write_shot_decision_with_facts(decision: ShotDecision) -> tuple[WrittenEntries, BuildFacts]:
    """Write the decision; return also what its build was before."""
    facts = facts_parameters(decision.build, decision.build.own_baseline)
    with connection.cursor() as cursor:
        # All parts of a statement read the rows as they were before it.
        cursor.execute(decision.statement(_SELECT_FACTS), [*decision.parameters, *facts])
        rows = cursor.fetchall()
    written = WrittenEntries(*rows[0][:_COLUMNS])
    return written, facts_in(decision.build, [row[_COLUMNS:] for row in rows])


def _assignments(columns: Mapping[str, object]) -> sql.Composed:
    return sql.SQL(", ").join(
        sql.SQL("{} = {}").format(
            sql.Identifier(column),
            value if isinstance(value, sql.Composable) else sql.Placeholder(),
        )
        for column, value in columns.items()
    )


UNDECIDED: Final[dict[str, Any]] = {
    "review_decision": "",
    "decision_source": "",
    "decided_by_id": "",
    "decided_by_name": "",
    "decided_client": "",
    "decided_at": None,
    "comment": "",
    "carried_from_id": "",
}


@dataclass(frozen=True)
class CreatedVersion:
    """What an approval of the build did. ``entry`` is the last one that it wrote to the log."""

    version: int
    rolled_back: bool
    accepted_removals: int
    entry: int


def lock_for_decision(organization_id: str, build_id: str) -> tuple[Baseline, Build]:
    """Lock and return baseline and build; raises ConflictError if it cannot be decided."""
    baseline, build = lock_build_of(organization_id, build_id)
    require_decidable(build.status)
    return baseline, build


def write_decision(
    build: Build,
    shots: ShotCondition,
    decision: Decision,
    decider: Decider,
    comment: str | None = None,
) -> WrittenEntries:
    """Write the decision to every screenshot, and to the review log."""
    return write_shot_decision(shot_decision(build, shots, decision, decider, comment))


def shot_decision(
    build: Build,
    shots: ShotCondition,
    decision: Decision,
    decider: Decider,
    comment: str | None = None,
) -> ShotDecision:
    logged = LoggedDecision.by(decider, decision, comment or "")
    return ShotDecision(build, shots, _columns(decision, decider, comment), logged)


def _columns(decision: Decision, decider: Decider, comment: str | None) -> dict[str, object]:
    columns: dict[str, object] = {
        "review_decision": decision,
        "decision_source": decider.source,
        "decided_by_id": decider.id,
        "decided_by_name": decider.name,
        "decided_client": decider.client,
        "decided_at": now(),
        "carried_from_id": "",
        # An approval clears the comment of an earlier rejection; the log keeps it.
        "comment": comment or "",
    }
    if comment is None and decision == REJECTED:
        columns["comment"] = COMMENT_OF_REJECTION
    return columns


def clear_decisions(build: Build, shots: ShotCondition, decider: Decider) -> WrittenEntries:
    """Make the screenshots undecided again; the log keeps what was decided, and the clearing."""
    cleared = LoggedDecision.by(decider, CLEARED)
    return write_shot_decision(ShotDecision(build, shots, UNDECIDED, cleared))


def accept_removals(build: Build, decider: Decider, counts: ReviewCounts) -> int:
    """Approve the undecided removals of a build that its screenshots approve; return all.

    Finalizing accepts them, and the log records it. ``counts`` are those before.
    """
    if counts.removed == counts.removed_approved:
        return counts.removed
    undecided = ShotCondition.by_state(build, (REMOVED,)).decided("")
    written = write_decision(build, undecided, APPROVED, decider)
    return counts.removed_approved + written.count


def create_version(
    build: Build,
    baseline: Baseline,
    decider: Decider,
    accepted_removals: int,
    replaced_number: int | None,
) -> CreatedVersion:
    """Approve the build, whose screenshots are written, and log it."""
    done = finalize(build, baseline, decider, replaced_number)
    entry = log_build_decision(build, LoggedDecision.by(decider, APPROVED))
    return CreatedVersion(done.version.sequence, done.rolled_back, accepted_removals, entry)
